-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN "mac" TEXT NOT NULL DEFAULT '';

-- What SECRET_KEY makes of each row is filled in by code, in the same transaction.
