-- AlterTable
ALTER TABLE "Message" ADD COLUMN "cancelReason" TEXT;
