-- CreateTable
CREATE TABLE "PersonErasure" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "authorId" TEXT,
    "recipient" TEXT,
    "emailAddress" TEXT,
    "erased" TEXT NOT NULL,
    "problem" TEXT,
    "endedAt" DATETIME
);

-- CreateIndex
CREATE INDEX "PersonErasure_tenantId_id_idx" ON "PersonErasure"("tenantId", "id");

-- CreateIndex
CREATE INDEX "PersonErasure_endedAt_id_idx" ON "PersonErasure"("endedAt", "id");
