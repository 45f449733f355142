-- AlterTable
ALTER TABLE "Tenant" ADD COLUMN "logRetentionDays" INTEGER;
