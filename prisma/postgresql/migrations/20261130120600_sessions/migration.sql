CREATE TABLE "Session" (
    "id" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "personId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "roles" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "expiresAt" TIMESTAMP(3) NOT NULL,
    "revokedAt" TIMESTAMP(3),
    "mac" TEXT NOT NULL,

    CONSTRAINT "Session_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "Session_hash_key" ON "Session"("hash");
CREATE INDEX "Session_expiresAt_idx" ON "Session"("expiresAt");
