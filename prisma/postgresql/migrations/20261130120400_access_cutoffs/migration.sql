CREATE TABLE "AccessCutoff" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "subject" TEXT COLLATE "C" NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "AccessCutoff_pkey" PRIMARY KEY ("tenantId", "subject")
);
CREATE INDEX "AccessCutoff_at_idx" ON "AccessCutoff"("at");
