-- Few records have a key, and those that have none need no entry.
DROP INDEX "Log_tenantId_idempotencyKey_key";
CREATE UNIQUE INDEX "Log_tenantId_idempotencyKey_key" ON "Log"("tenantId", "idempotencyKey") WHERE "idempotencyKey" IS NOT NULL;
