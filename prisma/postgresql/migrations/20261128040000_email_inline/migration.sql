ALTER TABLE "EmailAttachment" ADD COLUMN "contentId" TEXT;
ALTER TABLE "EmailAttachment" ADD COLUMN "content" BYTEA;
