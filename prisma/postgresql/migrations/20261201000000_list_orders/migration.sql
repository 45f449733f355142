-- Orders of lists. Those that follow an index of before take its place: they begin with its columns
CREATE INDEX "File_tenantId_nameKey_id_idx" ON "File"("tenantId", "nameKey", "id");
DROP INDEX "File_tenantId_nameKey_idx";
CREATE INDEX "File_tenantId_updatedAt_id_idx" ON "File"("tenantId", "updatedAt", "id");
DROP INDEX "File_tenantId_updatedAt_idx";
CREATE INDEX "File_size_idx" ON "File"("tenantId", "contentLength", "id") WHERE "contentLength" IS NOT NULL;
CREATE INDEX "File_expiry_idx" ON "File"("tenantId", "expiresAt", "id") WHERE "expiresAt" IS NOT NULL;

CREATE INDEX "Email_sendAt_idx" ON "Email"("tenantId", "sendAt", "id") WHERE "status" = 'QUEUED' AND "sendAt" IS NOT NULL;

CREATE INDEX "Template_name_idx" ON "Template"("tenantId", (left("name", 100) COLLATE "C"), "id");
CREATE INDEX "Template_tenantId_updatedAt_id_idx" ON "Template"("tenantId", "updatedAt", "id");
