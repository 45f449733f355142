ALTER TABLE "Tenant" ADD COLUMN "parentId" TEXT, ADD COLUMN "parentSetAt" TIMESTAMP(3);
CREATE INDEX "Tenant_parentId_id_idx" ON "Tenant"("parentId", "id");
CREATE INDEX "Tenant_parentSetAt_idx" ON "Tenant"("parentSetAt");
