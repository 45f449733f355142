-- AlterTable
ALTER TABLE "Tenant" ADD COLUMN "suspendedAt" TIMESTAMP(3);
ALTER TABLE "Tenant" ADD COLUMN "deletingAt" TIMESTAMP(3);

-- Every node reads the suspended tenants every second.
CREATE INDEX "Tenant_suspended_idx" ON "Tenant"("id") WHERE "suspendedAt" IS NOT NULL;

-- CreateIndex
DROP INDEX "ApiKey_tenantId_idx";
CREATE INDEX "ApiKey_tenantId_id_idx" ON "ApiKey"("tenantId", "id");

-- CreateIndex
CREATE INDEX "MultipartUpload_tenantId_idx" ON "MultipartUpload"("tenantId");
