CREATE TABLE "RecipientTopics" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "recipientKey" TEXT COLLATE "C" NOT NULL,
    "changes" TEXT NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "RecipientTopics_pkey" PRIMARY KEY ("tenantId", "recipientKey")
);
CREATE INDEX "RecipientTopics_at_idx" ON "RecipientTopics"("at");
