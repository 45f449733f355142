CREATE TABLE "RecipientTopics" (
    "tenantId" TEXT NOT NULL,
    "recipientKey" TEXT NOT NULL,
    "changes" TEXT NOT NULL,
    "at" DATETIME NOT NULL,

    PRIMARY KEY ("tenantId", "recipientKey")
);
CREATE INDEX "RecipientTopics_at_idx" ON "RecipientTopics"("at");
