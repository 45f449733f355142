CREATE TABLE "EmailDomain" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "ownershipToken" TEXT NOT NULL,
    "selector" TEXT NOT NULL,
    "publicKeys" TEXT NOT NULL,
    "privateKeys" TEXT NOT NULL,
    "nextSelector" TEXT,
    "nextPublicKeys" TEXT,
    "nextPrivateKeys" TEXT,
    "rotatedAt" DATETIME,
    "previousSelector" TEXT,
    "previousPublicKeys" TEXT,
    "previousUntil" DATETIME,
    "hasReturnPath" BOOLEAN NOT NULL DEFAULT false,
    "found" TEXT,
    "lastError" TEXT,
    "createdAt" DATETIME NOT NULL,
    "verifiedAt" DATETIME,
    "checkedAt" DATETIME,
    "askedAt" DATETIME,
    "failingSince" DATETIME,
    "dueAt" DATETIME
);
CREATE UNIQUE INDEX "EmailDomain_tenantId_domain_key" ON "EmailDomain"("tenantId", "domain");
-- What is to be checked next.
CREATE INDEX "EmailDomain_due_idx" ON "EmailDomain"("dueAt", "id") WHERE "dueAt" IS NOT NULL;
