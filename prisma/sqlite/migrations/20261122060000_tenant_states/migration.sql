-- AlterTable
ALTER TABLE "Tenant" ADD COLUMN "suspendedAt" DATETIME;
ALTER TABLE "Tenant" ADD COLUMN "deletingAt" DATETIME;

-- Every node reads the suspended tenants every second.
CREATE INDEX "Tenant_suspended_idx" ON "Tenant"("id") WHERE "suspendedAt" IS NOT NULL;

-- CreateIndex
DROP INDEX "ApiKey_tenantId_idx";
CREATE INDEX "ApiKey_tenantId_id_idx" ON "ApiKey"("tenantId", "id");

-- CreateIndex
CREATE INDEX "MultipartUpload_tenantId_idx" ON "MultipartUpload"("tenantId");
