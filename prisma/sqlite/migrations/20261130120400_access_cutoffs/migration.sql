CREATE TABLE "AccessCutoff" (
    "tenantId" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "at" DATETIME NOT NULL,

    PRIMARY KEY ("tenantId", "subject")
);
CREATE INDEX "AccessCutoff_at_idx" ON "AccessCutoff"("at");
