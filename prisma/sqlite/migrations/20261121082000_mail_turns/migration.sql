-- What waits to be sent, by tenant, so that tenants can take turns
CREATE INDEX "Email_turn_idx" ON "Email"("tenantId", "dueAt", "id") WHERE "status" = 'QUEUED';
