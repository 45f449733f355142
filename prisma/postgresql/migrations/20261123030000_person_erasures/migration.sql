-- CreateTable
CREATE TABLE "PersonErasure" (
    "id" TEXT NOT NULL,
    "tenantId" TEXT NOT NULL,
    "authorId" TEXT,
    "recipient" TEXT,
    "emailAddress" TEXT,
    "erased" TEXT NOT NULL,
    "problem" TEXT,
    "endedAt" TIMESTAMP(3),

    CONSTRAINT "PersonErasure_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "PersonErasure_tenantId_id_idx" ON "PersonErasure"("tenantId", "id");

-- CreateIndex
CREATE INDEX "PersonErasure_endedAt_id_idx" ON "PersonErasure"("endedAt", "id");
