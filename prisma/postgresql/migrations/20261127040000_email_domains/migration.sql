CREATE TABLE "EmailDomain" (
    "id" TEXT COLLATE "C" NOT NULL,
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "domain" TEXT COLLATE "C" NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "ownershipToken" TEXT NOT NULL,
    "selector" TEXT NOT NULL,
    "publicKeys" TEXT NOT NULL,
    "privateKeys" TEXT NOT NULL,
    "nextSelector" TEXT,
    "nextPublicKeys" TEXT,
    "nextPrivateKeys" TEXT,
    "rotatedAt" TIMESTAMP(3),
    "previousSelector" TEXT,
    "previousPublicKeys" TEXT,
    "previousUntil" TIMESTAMP(3),
    "hasReturnPath" BOOLEAN NOT NULL DEFAULT false,
    "found" TEXT,
    "lastError" TEXT,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "verifiedAt" TIMESTAMP(3),
    "checkedAt" TIMESTAMP(3),
    "askedAt" TIMESTAMP(3),
    "failingSince" TIMESTAMP(3),
    "dueAt" TIMESTAMP(3),

    CONSTRAINT "EmailDomain_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "EmailDomain_tenantId_domain_key" ON "EmailDomain"("tenantId", "domain");
-- What is to be checked next.
CREATE INDEX "EmailDomain_due_idx" ON "EmailDomain"("dueAt", "id") WHERE "dueAt" IS NOT NULL;
