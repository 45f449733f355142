-- AlterTable
ALTER TABLE "LogBlock" ADD COLUMN "keyChange" TEXT;

-- The few blocks that hand a log over to another key, which are looked for in every check of its seals.
CREATE INDEX "LogBlock_keyChange_idx" ON "LogBlock"("tenantId", "number") WHERE "keyChange" IS NOT NULL;
