CREATE TABLE "FallbackMail" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "until" TEXT NOT NULL,
    "dueAt" DATETIME NOT NULL,
    "fromAddress" TEXT,
    "fromName" TEXT,
    "subject" TEXT NOT NULL,
    "html" TEXT,
    "text" TEXT,
    "length" INTEGER NOT NULL,

    PRIMARY KEY ("tenantId", "id")
);
CREATE INDEX "FallbackMail_dueAt_idx" ON "FallbackMail"("dueAt");
CREATE INDEX "FallbackMail_tenantId_dueAt_idx" ON "FallbackMail"("tenantId", "dueAt");

CREATE TABLE "MessageFallback" (
    "tenantId" TEXT NOT NULL,
    "pushId" TEXT NOT NULL,
    "mailId" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "address" TEXT,
    "name" TEXT,
    "emailId" TEXT,
    "decidedAt" DATETIME,
    "error" TEXT,

    PRIMARY KEY ("tenantId", "pushId")
);
-- Recipients of a mail that are not decided yet
CREATE INDEX "MessageFallback_waiting_idx" ON "MessageFallback"("tenantId", "mailId", "pushId") WHERE "state" = 'WAITING';
