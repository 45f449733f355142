-- The schema of release 0.2.0, which later migrations add to.

-- Tenants, their keys and limits; leases of background work
CREATE TABLE "Tenant" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "maxStoredBytes" BIGINT,
    "maxFiles" BIGINT,
    "maxWaitingMessages" BIGINT,
    "maxTemplates" BIGINT,
    "maxStylesheets" BIGINT,
    "maxMailsPerDay" BIGINT,
    "suspendedAt" TIMESTAMP(3),
    "deletingAt" TIMESTAMP(3),
    "fileRetentionDays" INTEGER,
    "messageRetentionDays" INTEGER,
    "mailRetentionDays" INTEGER,
    "logRetentionDays" INTEGER,

    CONSTRAINT "Tenant_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "Tenant_name_key" ON "Tenant"("name");

-- Every node reads the suspended tenants every second.
CREATE INDEX "Tenant_suspended_idx" ON "Tenant"("id") WHERE "suspendedAt" IS NOT NULL;

CREATE TABLE "ApiKey" (
    "id" TEXT NOT NULL,
    "tenantId" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "expiresAt" TIMESTAMP(3),
    "lastUsedAt" TIMESTAMP(3),
    "revokedAt" TIMESTAMP(3),
    "mac" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "ApiKey_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "ApiKey_hash_key" ON "ApiKey"("hash");
CREATE INDEX "ApiKey_tenantId_id_idx" ON "ApiKey"("tenantId", "id");
ALTER TABLE "ApiKey" ADD CONSTRAINT "ApiKey_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE TABLE "Lease" (
    "name" TEXT NOT NULL,
    "holder" TEXT NOT NULL,
    "expiresAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Lease_pkey" PRIMARY KEY ("name")
);

-- Files
CREATE TYPE "StoredFileStatus" AS ENUM ('uploading', 'done', 'error', 'expired');

-- Names and their keys are compared byte by byte, as on SQLite, so that a prefix is a range
CREATE TABLE "File" (
    "id" TEXT NOT NULL,
    "tenantId" TEXT NOT NULL,
    "name" TEXT COLLATE "C",
    "comment" TEXT,
    "author" TEXT,
    "contentType" TEXT NOT NULL,
    "status" "StoredFileStatus" NOT NULL,
    "errorCode" TEXT,
    "errorMessage" TEXT,
    "externalReference" TEXT,
    "public" BOOLEAN NOT NULL,
    "attributes" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,
    "expiresAt" TIMESTAMP(3),
    "expectedSha256" TEXT,
    "blobKey" TEXT,
    "contentLength" BIGINT,
    "checksumSha256" TEXT,
    "etag" TEXT,
    "disposition" TEXT,
    "storedAt" TIMESTAMP(3),
    "sweepAt" TIMESTAMP(3),
    "externalReferenceKey" TEXT,
    "nameKey" TEXT COLLATE "C",
    "cacheControl" TEXT,

    CONSTRAINT "File_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "File_tenantId_id_key" ON "File"("tenantId", "id");
CREATE INDEX "File_tenantId_status_id_idx" ON "File"("tenantId", "status", "id");
CREATE INDEX "File_sweepAt_idx" ON "File"("sweepAt");
CREATE INDEX "File_tenantId_externalReferenceKey_id_idx" ON "File"("tenantId", "externalReferenceKey", "id");
CREATE INDEX "File_tenantId_nameKey_idx" ON "File"("tenantId", "nameKey");

-- Files of a tenant that nothing has changed since a time
CREATE INDEX "File_tenantId_updatedAt_idx" ON "File"("tenantId", "updatedAt");

-- The folder of each name, up to its last slash, as far as an index can hold it
CREATE INDEX "File_tenantId_folder_id_idx" ON "File"("tenantId", left("name", least(length("name") + 1 - strpos(reverse('/' || "name"), '/'), 500)), "id");

CREATE TABLE "FileUsage" (
    "tenantId" TEXT NOT NULL,
    "shard" INTEGER NOT NULL,
    "fileCount" BIGINT NOT NULL,
    "fileSize" BIGINT NOT NULL,
    "billableFileSize" BIGINT NOT NULL,
    "partSize" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "FileUsage_pkey" PRIMARY KEY ("tenantId","shard")
);

CREATE TABLE "MultipartUpload" (
    "id" TEXT NOT NULL,
    "tenantId" TEXT NOT NULL,
    "fileId" TEXT NOT NULL,
    "blobKey" TEXT NOT NULL,
    "storeUploadId" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "completedParts" TEXT,
    "partsListedAt" TIMESTAMP(3),

    CONSTRAINT "MultipartUpload_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "MultipartUpload_fileId_idx" ON "MultipartUpload"("fileId");
CREATE INDEX "MultipartUpload_createdAt_idx" ON "MultipartUpload"("createdAt");
CREATE INDEX "MultipartUpload_tenantId_idx" ON "MultipartUpload"("tenantId");

-- What the sweeper asks the store for
CREATE INDEX "MultipartUpload_partsListedAt_idx" ON "MultipartUpload"("partsListedAt") WHERE "completedParts" IS NULL AND "partsListedAt" IS NOT NULL;

CREATE TABLE "MultipartPart" (
    "uploadId" TEXT NOT NULL,
    "partNumber" INTEGER NOT NULL,
    "tenantId" TEXT NOT NULL,
    "sizeBytes" BIGINT NOT NULL,

    CONSTRAINT "MultipartPart_pkey" PRIMARY KEY ("uploadId","partNumber")
);
ALTER TABLE "MultipartPart" ADD CONSTRAINT "MultipartPart_uploadId_fkey" FOREIGN KEY ("uploadId") REFERENCES "MultipartUpload"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "StorageSample" (
    "tenantId" TEXT NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,
    "fileSize" BIGINT NOT NULL,
    "fileCount" BIGINT NOT NULL,
    "sweepAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "StorageSample_pkey" PRIMARY KEY ("tenantId","at")
);
CREATE INDEX "StorageSample_sweepAt_idx" ON "StorageSample"("sweepAt");

-- Usage follows the files, in the same transaction. A connection always adds to the same shard, so two transactions of
-- many files cannot wait for each other in a circle.
CREATE FUNCTION "count_file_usage"() RETURNS trigger AS $$
DECLARE
    files BIGINT := 0;
    size BIGINT := 0;
    billable BIGINT := 0;
BEGIN
    IF TG_OP <> 'DELETE' THEN
        files := files + 1;
        size := size + coalesce(NEW."contentLength", 0);
        billable := billable + CASE WHEN NEW."status"::text = 'expired' THEN 0 ELSE greatest(coalesce(NEW."contentLength", 0), 131072) END;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        files := files - 1;
        size := size - coalesce(OLD."contentLength", 0);
        billable := billable - CASE WHEN OLD."status"::text = 'expired' THEN 0 ELSE greatest(coalesce(OLD."contentLength", 0), 131072) END;
    END IF;
    INSERT INTO "FileUsage" AS u ("tenantId", "shard", "fileCount", "fileSize", "billableFileSize")
    VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD."tenantId" ELSE NEW."tenantId" END, pg_backend_pid() % 16, files, size, billable)
    ON CONFLICT ("tenantId", "shard") DO UPDATE SET
        "fileCount" = u."fileCount" + excluded."fileCount",
        "fileSize" = u."fileSize" + excluded."fileSize",
        "billableFileSize" = u."billableFileSize" + excluded."billableFileSize";
    RETURN NULL;
END;
$$ LANGUAGE plpgsql;

CREATE TRIGGER "File_usage_count" AFTER INSERT OR DELETE ON "File"
FOR EACH ROW EXECUTE FUNCTION "count_file_usage"();

CREATE TRIGGER "File_usage_change" AFTER UPDATE OF "contentLength", "status" ON "File"
FOR EACH ROW WHEN (OLD."contentLength" IS DISTINCT FROM NEW."contentLength" OR OLD."status" IS DISTINCT FROM NEW."status")
EXECUTE FUNCTION "count_file_usage"();

-- Usage follows the parts as it follows the files
CREATE FUNCTION "count_part_usage"() RETURNS trigger AS $$
DECLARE
    size BIGINT := 0;
BEGIN
    IF TG_OP <> 'DELETE' THEN
        size := size + NEW."sizeBytes";
    END IF;
    IF TG_OP <> 'INSERT' THEN
        size := size - OLD."sizeBytes";
    END IF;
    INSERT INTO "FileUsage" AS u ("tenantId", "shard", "fileCount", "fileSize", "billableFileSize", "partSize")
    VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD."tenantId" ELSE NEW."tenantId" END, pg_backend_pid() % 16, 0, 0, 0, size)
    ON CONFLICT ("tenantId", "shard") DO UPDATE SET "partSize" = u."partSize" + excluded."partSize";
    RETURN NULL;
END;
$$ LANGUAGE plpgsql;

CREATE TRIGGER "MultipartPart_usage" AFTER INSERT OR DELETE OR UPDATE OF "sizeBytes" ON "MultipartPart"
FOR EACH ROW EXECUTE FUNCTION "count_part_usage"();

-- Templates and stylesheets
CREATE TYPE "StoredTemplateType" AS ENUM ('email', 'document');
CREATE TYPE "StoredContentType" AS ENUM ('plain', 'html');

CREATE TABLE "Css" (
    "id" TEXT NOT NULL,
    "tenantId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "nameHash" TEXT NOT NULL,
    "text" TEXT,
    "author" TEXT,
    "revision" INTEGER NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Css_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "Css_tenantId_nameHash_id_idx" ON "Css"("tenantId", "nameHash", "id");
CREATE UNIQUE INDEX "Css_tenantId_id_key" ON "Css"("tenantId", "id");

CREATE TABLE "Template" (
    "id" TEXT NOT NULL,
    "tenantId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "nameHash" TEXT NOT NULL,
    "type" "StoredTemplateType" NOT NULL,
    "active" BOOLEAN NOT NULL,
    "subject" TEXT,
    "body" TEXT NOT NULL,
    "css" TEXT,
    "parentCssId" TEXT,
    "contentType" "StoredContentType" NOT NULL,
    "comment" TEXT,
    "author" TEXT,
    "revision" INTEGER NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Template_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "Template_tenantId_active_id_idx" ON "Template"("tenantId", "active", "id");
CREATE INDEX "Template_tenantId_parentCssId_id_idx" ON "Template"("tenantId", "parentCssId", "id");
CREATE UNIQUE INDEX "Template_tenantId_nameHash_key" ON "Template"("tenantId", "nameHash");
CREATE UNIQUE INDEX "Template_tenantId_id_key" ON "Template"("tenantId", "id");
ALTER TABLE "Template" ADD CONSTRAINT "Template_tenantId_parentCssId_fkey" FOREIGN KEY ("tenantId", "parentCssId") REFERENCES "Css"("tenantId", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- The Document Log
CREATE TABLE "Log" (
    "seq" BIGSERIAL NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "documentId" TEXT COLLATE "C" NOT NULL,
    "documentType" TEXT COLLATE "C" NOT NULL,
    "dateTime" TIMESTAMP(3) NOT NULL,
    "attributeId" TEXT COLLATE "C",
    "authorId" TEXT COLLATE "C",
    "action" TEXT COLLATE "C",
    "comment" TEXT,
    "custom1" TEXT COLLATE "C",
    "custom2" TEXT COLLATE "C",
    "details" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updateAt" TIMESTAMP(3),
    "editCount" INTEGER NOT NULL DEFAULT 0,
    "idempotencyKey" TEXT COLLATE "C",
    "inputHash" TEXT,
    "leafHash" TEXT NOT NULL,
    "mac" TEXT NOT NULL,
    "salt" TEXT,
    "personalHash" TEXT,
    "erasedAt" TIMESTAMP(3),

    CONSTRAINT "Log_pkey" PRIMARY KEY ("seq")
);
CREATE UNIQUE INDEX "Log_id_key" ON "Log"("id");

-- What callers filter by, newest event first. The first 100 characters: see the models.
CREATE INDEX "Log_tenantId_dateTime_id_idx" ON "Log"("tenantId", "dateTime", "id");
CREATE INDEX "Log_tenantId_documentId_idx" ON "Log"("tenantId", (left("documentId", 100)), "dateTime", "id");
CREATE INDEX "Log_tenantId_documentId_attributeId_idx" ON "Log"("tenantId", (left("documentId", 100)), (left("attributeId", 100)), "dateTime", "id") WHERE "attributeId" IS NOT NULL;
CREATE INDEX "Log_tenantId_documentType_idx" ON "Log"("tenantId", (left("documentType", 100)), "dateTime", "id");
CREATE INDEX "Log_tenantId_authorId_idx" ON "Log"("tenantId", (left("authorId", 100)), "dateTime", "id") WHERE "authorId" IS NOT NULL;
CREATE INDEX "Log_tenantId_attributeId_idx" ON "Log"("tenantId", (left("attributeId", 100)), "dateTime", "id") WHERE "attributeId" IS NOT NULL;
CREATE INDEX "Log_tenantId_action_idx" ON "Log"("tenantId", (left("action", 100)), "dateTime", "id") WHERE "action" IS NOT NULL;
CREATE INDEX "Log_tenantId_custom1_idx" ON "Log"("tenantId", (left("custom1", 100)), "dateTime", "id") WHERE "custom1" IS NOT NULL;
CREATE INDEX "Log_tenantId_custom2_idx" ON "Log"("tenantId", (left("custom2", 100)), "dateTime", "id") WHERE "custom2" IS NOT NULL;

-- The sealer and verifier walk a tenant's records in the order of seq.
CREATE INDEX "Log_tenantId_seq_idx" ON "Log"("tenantId", "seq");

-- Few records have a key, and those that have none need no entry.
CREATE UNIQUE INDEX "Log_tenantId_idempotencyKey_key" ON "Log"("tenantId", "idempotencyKey") WHERE "idempotencyKey" IS NOT NULL;

CREATE TABLE "LogEdit" (
    "seq" BIGSERIAL NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "logId" TEXT COLLATE "C" NOT NULL,
    "dateTime" TIMESTAMP(3) NOT NULL,
    "field" TEXT NOT NULL,
    "oldValue" TEXT,
    "newValue" TEXT,
    "leafHash" TEXT NOT NULL,
    "mac" TEXT NOT NULL,
    "salt" TEXT,
    "personalHash" TEXT,

    CONSTRAINT "LogEdit_pkey" PRIMARY KEY ("seq")
);
CREATE UNIQUE INDEX "LogEdit_id_key" ON "LogEdit"("id");
CREATE INDEX "LogEdit_logId_seq_idx" ON "LogEdit"("logId", "seq");
CREATE INDEX "LogEdit_tenantId_seq_idx" ON "LogEdit"("tenantId", "seq");

CREATE TABLE "LogBlock" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "number" INTEGER NOT NULL,
    "toSeq" BIGINT NOT NULL,
    "toEditSeq" BIGINT NOT NULL,
    "leafCount" INTEGER NOT NULL,
    "leafIds" TEXT NOT NULL,
    "idsHash" TEXT NOT NULL,
    "root" TEXT NOT NULL,
    "previousHash" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "signature" TEXT NOT NULL,
    "sealedAt" TIMESTAMP(3) NOT NULL,
    "keyChange" TEXT,
    "horizon" TEXT,

    CONSTRAINT "LogBlock_pkey" PRIMARY KEY ("tenantId","number")
);
CREATE INDEX "LogBlock_tenantId_sealedAt_idx" ON "LogBlock"("tenantId", "sealedAt");
CREATE INDEX "LogBlock_tenantId_toSeq_idx" ON "LogBlock"("tenantId", "toSeq");
CREATE INDEX "LogBlock_toSeq_toEditSeq_idx" ON "LogBlock"("toSeq", "toEditSeq");

-- The few blocks that hand a log over to another key, which are looked for in every check of its seals.
CREATE INDEX "LogBlock_keyChange_idx" ON "LogBlock"("tenantId", "number") WHERE "keyChange" IS NOT NULL;

-- The few blocks that say how far a log was removed.
CREATE INDEX "LogBlock_horizon_idx" ON "LogBlock"("tenantId", "number") WHERE "horizon" IS NOT NULL;

CREATE TABLE "LogFormat" (
    "id" INTEGER NOT NULL,
    "leafVersion" INTEGER NOT NULL,

    CONSTRAINT "LogFormat_pkey" PRIMARY KEY ("id")
);

-- Nodes of 0.2.0 salt the leaves of new records because of this row
INSERT INTO "LogFormat" ("id", "leafVersion") VALUES (1, 2);

-- Messages
CREATE TABLE "Message" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "pushId" TEXT COLLATE "C" NOT NULL,
    "recipientKey" TEXT COLLATE "C" NOT NULL,
    "recipient" TEXT,
    "message" TEXT,
    "topic" TEXT COLLATE "C",
    "status" TEXT NOT NULL,
    "expiresAt" TIMESTAMP(3),
    "sentAt" TIMESTAMP(3),
    "deliveredAt" TIMESTAMP(3),
    "cancelledAt" TIMESTAMP(3),
    "isGlobal" BOOLEAN NOT NULL,

    CONSTRAINT "Message_pkey" PRIMARY KEY ("tenantId", "pushId", "recipientKey")
);

-- What callers filter by. The first 100 characters of a topic: an index of PostgreSQL holds no more than 2,704 bytes.
CREATE INDEX "Message_tenantId_topic_idx" ON "Message"("tenantId", left("topic", 100), "pushId", "recipientKey") WHERE "topic" IS NOT NULL;

-- Of global messages none: each would be written to as many places as there are recipients. They are found by the primary key.
CREATE INDEX "Message_tenantId_recipientKey_idx" ON "Message"("tenantId", "recipientKey", "pushId") WHERE NOT "isGlobal";
CREATE INDEX "Message_tenantId_status_idx" ON "Message"("tenantId", "status", "pushId", "recipientKey") WHERE "status" <> 'DELIVERED';
CREATE INDEX "Message_tenantId_expiring_idx" ON "Message"("tenantId", "pushId", "recipientKey") WHERE "expiresAt" IS NOT NULL;

-- What the sweeper looks for: what expires, and what could not wait.
CREATE INDEX "Message_expiring_idx" ON "Message"("expiresAt") WHERE "status" = 'PENDING' AND "expiresAt" IS NOT NULL;
CREATE INDEX "Message_fleeting_idx" ON "Message"("pushId") WHERE "status" = 'PENDING' AND "expiresAt" IS NULL;

-- What waits for a recipient, with its expiry, so that it can be counted from the index alone
CREATE INDEX "Message_waiting_idx" ON "Message"("tenantId", "recipientKey", "pushId", "expiresAt") WHERE "status" = 'PENDING' AND NOT "isGlobal";

CREATE TABLE "GlobalMessage" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "message" TEXT NOT NULL,
    "topic" TEXT COLLATE "C",
    "expiresAt" TIMESTAMP(3),
    "cancelledAt" TIMESTAMP(3),

    CONSTRAINT "GlobalMessage_pkey" PRIMARY KEY ("tenantId", "id")
);
CREATE INDEX "GlobalMessage_tenantId_topic_id_idx" ON "GlobalMessage"("tenantId", left("topic", 100), "id") WHERE "topic" IS NOT NULL;
CREATE INDEX "GlobalMessage_tenantId_expiresAt_idx" ON "GlobalMessage"("tenantId", "expiresAt") WHERE "expiresAt" IS NOT NULL;

-- What waits, without what was cancelled
CREATE INDEX "GlobalMessage_waiting_idx" ON "GlobalMessage"("tenantId", "expiresAt") WHERE "expiresAt" IS NOT NULL AND "cancelledAt" IS NULL;

-- Those whose parts are still to be cancelled are among the last
CREATE INDEX "GlobalMessage_cancelled_idx" ON "GlobalMessage"("cancelledAt") WHERE "cancelledAt" IS NOT NULL;

CREATE TABLE "PushKey" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "operation" TEXT NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "inputHash" TEXT NOT NULL,
    "result" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "PushKey_pkey" PRIMARY KEY ("tenantId", "operation", "key")
);
CREATE INDEX "PushKey_createdAt_idx" ON "PushKey"("createdAt");

CREATE TABLE "RecipientCutoff" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "recipientKey" TEXT COLLATE "C" NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "RecipientCutoff_pkey" PRIMARY KEY ("tenantId", "recipientKey")
);
CREATE INDEX "RecipientCutoff_at_idx" ON "RecipientCutoff"("at");

-- Mails
CREATE TYPE "StoredEmailStatus" AS ENUM ('QUEUED', 'SENT', 'FAILED');
CREATE TYPE "EmailRecipientKind" AS ENUM ('to', 'cc', 'bcc');
CREATE TYPE "StoredIdentityStatus" AS ENUM ('PENDING', 'VERIFIED');

CREATE TABLE "Email" (
    "id" TEXT COLLATE "C" NOT NULL,
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "messageId" TEXT NOT NULL,
    "fromAddress" TEXT NOT NULL,
    "fromName" TEXT,
    "replyToAddress" TEXT,
    "replyToName" TEXT,
    "subject" TEXT NOT NULL,
    "html" TEXT,
    "text" TEXT,
    "status" "StoredEmailStatus" NOT NULL,
    "attempts" INTEGER NOT NULL,
    "lastError" TEXT,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "sentAt" TIMESTAMP(3),
    "giveUpAt" TIMESTAMP(3) NOT NULL,
    "dueAt" TIMESTAMP(3) NOT NULL,
    "leaseHolder" TEXT,
    "idempotencyKey" TEXT COLLATE "C",
    "inputHash" TEXT,
    "hasAttachments" BOOLEAN NOT NULL,
    "traceContext" TEXT,

    CONSTRAINT "Email_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "Email_tenantId_id_idx" ON "Email"("tenantId", "id");
CREATE INDEX "Email_tenantId_status_id_idx" ON "Email"("tenantId", "status", "id");
CREATE INDEX "Email_status_dueAt_id_idx" ON "Email"("status", "dueAt", "id");
CREATE UNIQUE INDEX "Email_tenantId_idempotencyKey_key" ON "Email"("tenantId", "idempotencyKey") WHERE "idempotencyKey" IS NOT NULL;

-- What waits to be sent, by tenant, so that tenants can take turns
CREATE INDEX "Email_turn_idx" ON "Email"("tenantId", "dueAt", "id") WHERE "status" = 'QUEUED';

CREATE TABLE "EmailRecipient" (
    "emailId" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "kind" "EmailRecipientKind" NOT NULL,
    "address" TEXT COLLATE "C" NOT NULL,
    "name" TEXT,
    "status" "StoredEmailStatus" NOT NULL,
    "lastError" TEXT,
    "attempts" INTEGER,

    CONSTRAINT "EmailRecipient_pkey" PRIMARY KEY ("emailId","position")
);
CREATE INDEX "EmailRecipient_tenantId_address_emailId_idx" ON "EmailRecipient"("tenantId", "address", "emailId");
ALTER TABLE "EmailRecipient" ADD CONSTRAINT "EmailRecipient_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "EmailAttachment" (
    "emailId" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "blobKey" TEXT COLLATE "C" NOT NULL,
    "contentType" TEXT NOT NULL,
    "sizeBytes" INTEGER NOT NULL,

    CONSTRAINT "EmailAttachment_pkey" PRIMARY KEY ("emailId","position")
);
ALTER TABLE "EmailAttachment" ADD CONSTRAINT "EmailAttachment_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "EmailContent" (
    "emailId" TEXT NOT NULL,
    "html" TEXT,
    "text" TEXT,
    "attachments" TEXT,

    CONSTRAINT "EmailContent_pkey" PRIMARY KEY ("emailId")
);
ALTER TABLE "EmailContent" ADD CONSTRAINT "EmailContent_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "EmailIdentity" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "address" TEXT COLLATE "C" NOT NULL,
    "status" "StoredIdentityStatus" NOT NULL,
    "tokenHash" TEXT NOT NULL,
    "tokenExpiresAt" TIMESTAMP(3) NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "verifiedAt" TIMESTAMP(3),
    "mailId" TEXT,

    CONSTRAINT "EmailIdentity_pkey" PRIMARY KEY ("tenantId","address")
);
CREATE UNIQUE INDEX "EmailIdentity_tokenHash_key" ON "EmailIdentity"("tokenHash");

CREATE TABLE "EmailValidationCount" (
    "address" TEXT COLLATE "C" NOT NULL,
    "day" TEXT COLLATE "C" NOT NULL,
    "mails" INTEGER NOT NULL,

    CONSTRAINT "EmailValidationCount_pkey" PRIMARY KEY ("address")
);
CREATE INDEX "EmailValidationCount_day_idx" ON "EmailValidationCount"("day");

CREATE TABLE "EmailValidationTotal" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "day" TEXT COLLATE "C" NOT NULL,
    "mails" INTEGER NOT NULL,

    CONSTRAINT "EmailValidationTotal_pkey" PRIMARY KEY ("tenantId")
);
CREATE INDEX "EmailValidationTotal_day_idx" ON "EmailValidationTotal"("day");

CREATE TABLE "BlobPin" (
    "blobKey" TEXT COLLATE "C" NOT NULL,
    "holderId" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "BlobPin_pkey" PRIMARY KEY ("blobKey","holderId")
);
CREATE INDEX "BlobPin_holderId_idx" ON "BlobPin"("holderId");

-- Erasures of persons
CREATE TABLE "PersonErasure" (
    "id" TEXT NOT NULL,
    "tenantId" TEXT NOT NULL,
    "authorId" TEXT,
    "recipient" TEXT,
    "emailAddress" TEXT,
    "erased" TEXT NOT NULL,
    "problem" TEXT,
    "endedAt" TIMESTAMP(3),

    CONSTRAINT "PersonErasure_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "PersonErasure_tenantId_id_idx" ON "PersonErasure"("tenantId", "id");
CREATE INDEX "PersonErasure_endedAt_id_idx" ON "PersonErasure"("endedAt", "id");
