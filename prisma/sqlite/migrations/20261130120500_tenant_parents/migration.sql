ALTER TABLE "Tenant" ADD COLUMN "parentId" TEXT;
ALTER TABLE "Tenant" ADD COLUMN "parentSetAt" DATETIME;
CREATE INDEX "Tenant_parentId_id_idx" ON "Tenant"("parentId", "id");
CREATE INDEX "Tenant_parentSetAt_idx" ON "Tenant"("parentSetAt");
