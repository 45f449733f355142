-- AlterTable
ALTER TABLE "Message" ADD COLUMN "inbox" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "Message" ADD COLUMN "seenAt" TIMESTAMP(3);
ALTER TABLE "Message" ADD COLUMN "readAt" TIMESTAMP(3);
ALTER TABLE "Message" ADD COLUMN "archivedAt" TIMESTAMP(3);

-- Messages in the inbox of a recipient, and the unread ones. Delivered ones that have expired are skipped.
CREATE INDEX "Message_inbox_idx" ON "Message"("tenantId", "recipientKey", "pushId") WHERE "inbox" AND "archivedAt" IS NULL AND "status" <> 'CANCELLED';
CREATE INDEX "Message_unread_idx" ON "Message"("tenantId", "recipientKey", "expiresAt") WHERE "inbox" AND "readAt" IS NULL AND "archivedAt" IS NULL AND "status" <> 'CANCELLED';
