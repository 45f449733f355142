CREATE TABLE "Session" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "hash" TEXT NOT NULL,
    "personId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "roles" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "expiresAt" DATETIME NOT NULL,
    "revokedAt" DATETIME,
    "mac" TEXT NOT NULL
);
CREATE UNIQUE INDEX "Session_hash_key" ON "Session"("hash");
CREATE INDEX "Session_expiresAt_idx" ON "Session"("expiresAt");
