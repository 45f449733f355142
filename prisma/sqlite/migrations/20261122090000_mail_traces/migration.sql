-- AlterTable
ALTER TABLE "Email" ADD COLUMN "traceContext" TEXT;
