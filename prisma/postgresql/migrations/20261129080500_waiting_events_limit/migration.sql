ALTER TABLE "Tenant" ADD COLUMN "maxWaitingEvents" BIGINT;
