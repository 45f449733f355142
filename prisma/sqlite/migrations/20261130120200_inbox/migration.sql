-- AlterTable
ALTER TABLE "Message" ADD COLUMN "inbox" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "Message" ADD COLUMN "seenAt" DATETIME;
ALTER TABLE "Message" ADD COLUMN "readAt" DATETIME;
ALTER TABLE "Message" ADD COLUMN "archivedAt" DATETIME;

-- Messages in the inbox of a recipient, and the unread ones. Delivered ones that have expired are skipped.
CREATE INDEX "Message_inbox_idx" ON "Message"("tenantId", "recipientKey", "pushId") WHERE "inbox" AND "archivedAt" IS NULL AND "status" <> 'CANCELLED';
CREATE INDEX "Message_unread_idx" ON "Message"("tenantId", "recipientKey", "expiresAt") WHERE "inbox" AND "readAt" IS NULL AND "archivedAt" IS NULL AND "status" <> 'CANCELLED';
