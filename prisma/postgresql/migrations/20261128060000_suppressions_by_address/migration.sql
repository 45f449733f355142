CREATE INDEX "EmailSuppression_tenantId_address_id_idx" ON "EmailSuppression"("tenantId", "address", "id");
