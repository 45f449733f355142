-- AlterTable
ALTER TABLE "Log" ADD COLUMN "salt" TEXT;
ALTER TABLE "Log" ADD COLUMN "personalHash" TEXT;
ALTER TABLE "Log" ADD COLUMN "erasedAt" TIMESTAMP(3);

-- AlterTable
ALTER TABLE "LogEdit" ADD COLUMN "salt" TEXT;
ALTER TABLE "LogEdit" ADD COLUMN "personalHash" TEXT;

-- AlterTable
ALTER TABLE "LogBlock" ADD COLUMN "horizon" TEXT;

-- CreateTable
CREATE TABLE "LogFormat" (
    "id" INTEGER NOT NULL,
    "leafVersion" INTEGER NOT NULL,

    CONSTRAINT "LogFormat_pkey" PRIMARY KEY ("id")
);

-- The few blocks that say how far a log was removed.
CREATE INDEX "LogBlock_horizon_idx" ON "LogBlock"("tenantId", "number") WHERE "horizon" IS NOT NULL;

-- Nodes of the last release cannot verify salted leaves, and only an existing deployment can have such nodes.
INSERT INTO "LogFormat" SELECT 1, CASE WHEN EXISTS (SELECT 1 FROM "Tenant") THEN 1 ELSE 2 END;
