-- AlterTable
ALTER TABLE "EmailRecipient" ADD COLUMN "attempts" INTEGER;

-- AlterTable
ALTER TABLE "EmailIdentity" ADD COLUMN "mailId" TEXT;
