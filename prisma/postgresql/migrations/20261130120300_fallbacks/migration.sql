CREATE TABLE "FallbackMail" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "until" TEXT NOT NULL,
    "dueAt" TIMESTAMP(3) NOT NULL,
    "fromAddress" TEXT,
    "fromName" TEXT,
    "subject" TEXT NOT NULL,
    "html" TEXT,
    "text" TEXT,
    "length" INTEGER NOT NULL,

    CONSTRAINT "FallbackMail_pkey" PRIMARY KEY ("tenantId", "id")
);
CREATE INDEX "FallbackMail_dueAt_idx" ON "FallbackMail"("dueAt");
CREATE INDEX "FallbackMail_tenantId_dueAt_idx" ON "FallbackMail"("tenantId", "dueAt");

CREATE TABLE "MessageFallback" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "pushId" TEXT COLLATE "C" NOT NULL,
    "mailId" TEXT COLLATE "C" NOT NULL,
    "state" TEXT NOT NULL,
    "address" TEXT,
    "name" TEXT,
    "emailId" TEXT COLLATE "C",
    "decidedAt" TIMESTAMP(3),
    "error" TEXT,

    CONSTRAINT "MessageFallback_pkey" PRIMARY KEY ("tenantId", "pushId")
);
-- Recipients of a mail that are not decided yet
CREATE INDEX "MessageFallback_waiting_idx" ON "MessageFallback"("tenantId", "mailId", "pushId") WHERE "state" = 'WAITING';
