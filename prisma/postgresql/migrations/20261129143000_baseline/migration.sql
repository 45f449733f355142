-- Baseline: the schema of 0.3.0, the first release. Later migrations add to it.

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
    "eventRetentionDays" INTEGER,
    "maxWaitingEvents" BIGINT,

    CONSTRAINT "Tenant_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "Tenant_name_key" ON "Tenant"("name");

-- Suspended tenants, which every node reads every second
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
    "name" TEXT,

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

-- Names and their keys are compared byte by byte, as on SQLite, so a prefix is a range
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
    "maxBytes" BIGINT,
    "accept" TEXT,

    CONSTRAINT "File_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "File_tenantId_id_key" ON "File"("tenantId", "id");
CREATE INDEX "File_tenantId_status_id_idx" ON "File"("tenantId", "status", "id");
CREATE INDEX "File_sweepAt_idx" ON "File"("sweepAt");
CREATE INDEX "File_tenantId_externalReferenceKey_id_idx" ON "File"("tenantId", "externalReferenceKey", "id");

-- Folder of each name, up to its last slash, cut to the length that an index entry can hold
CREATE INDEX "File_tenantId_folder_id_idx" ON "File"("tenantId", left("name", least(length("name") + 1 - strpos(reverse('/' || "name"), '/'), 500)), "id");

-- Orders of lists
CREATE INDEX "File_tenantId_nameKey_id_idx" ON "File"("tenantId", "nameKey", "id");
CREATE INDEX "File_tenantId_updatedAt_id_idx" ON "File"("tenantId", "updatedAt", "id");
CREATE INDEX "File_size_idx" ON "File"("tenantId", "contentLength", "id") WHERE "contentLength" IS NOT NULL;
CREATE INDEX "File_expiry_idx" ON "File"("tenantId", "expiresAt", "id") WHERE "expiresAt" IS NOT NULL;

CREATE TABLE "FolderDeletion" (
    "tenantId" TEXT NOT NULL,
    "folderHash" TEXT NOT NULL,
    "folder" TEXT NOT NULL,
    "askedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "FolderDeletion_pkey" PRIMARY KEY ("tenantId", "folderHash")
);
CREATE INDEX "FolderDeletion_askedAt_idx" ON "FolderDeletion"("askedAt");

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

-- Uploads whose parts the sweeper lists in the store
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

-- Usage changes in the transaction of its file. A connection always adds to the same shard, so two transactions of many files cannot
-- deadlock.
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

-- Usage changes in the transaction of its part
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
    "layoutId" TEXT,
    "locale" TEXT,
    "sampleParams" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "Template_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "Template_tenantId_active_id_idx" ON "Template"("tenantId", "active", "id");
CREATE INDEX "Template_tenantId_parentCssId_id_idx" ON "Template"("tenantId", "parentCssId", "id");
CREATE UNIQUE INDEX "Template_tenantId_nameHash_key" ON "Template"("tenantId", "nameHash");
CREATE UNIQUE INDEX "Template_tenantId_id_key" ON "Template"("tenantId", "id");
CREATE INDEX "Template_tenantId_layoutId_id_idx" ON "Template"("tenantId", "layoutId", "id");
CREATE INDEX "Template_name_idx" ON "Template"("tenantId", (left("name", 100) COLLATE "C"), "id");
CREATE INDEX "Template_tenantId_updatedAt_id_idx" ON "Template"("tenantId", "updatedAt", "id");
ALTER TABLE "Template" ADD CONSTRAINT "Template_tenantId_parentCssId_fkey" FOREIGN KEY ("tenantId", "parentCssId") REFERENCES "Css"("tenantId", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

CREATE TABLE "TemplateTranslation" (
    "id" TEXT NOT NULL,
    "tenantId" TEXT NOT NULL,
    "templateId" TEXT NOT NULL,
    "locale" TEXT NOT NULL,
    "subject" TEXT,
    "body" TEXT NOT NULL,
    "author" TEXT,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "TemplateTranslation_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "TemplateTranslation_tenantId_templateId_locale_key" ON "TemplateTranslation"("tenantId", "templateId", "locale");
CREATE INDEX "TemplateTranslation_tenantId_id_idx" ON "TemplateTranslation"("tenantId", "id");

CREATE TABLE "TemplateVersion" (
    "id" TEXT NOT NULL,
    "tenantId" TEXT NOT NULL,
    "templateId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "contentType" "StoredContentType" NOT NULL,
    "subject" TEXT,
    "body" TEXT NOT NULL,
    "css" TEXT,
    "parentCssId" TEXT,
    "layoutId" TEXT,
    "locale" TEXT,
    "sampleParams" TEXT,
    "comment" TEXT,
    "author" TEXT,
    "parts" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "TemplateVersion_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "TemplateVersion_tenantId_templateId_version_key" ON "TemplateVersion"("tenantId", "templateId", "version");
CREATE INDEX "TemplateVersion_tenantId_id_idx" ON "TemplateVersion"("tenantId", "id");

CREATE TABLE "TemplatePartial" (
    "id" TEXT NOT NULL,
    "tenantId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "nameHash" TEXT NOT NULL,
    "contentType" "StoredContentType" NOT NULL,
    "body" TEXT NOT NULL,
    "author" TEXT,
    "revision" INTEGER NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "TemplatePartial_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "TemplatePartial_tenantId_nameHash_key" ON "TemplatePartial"("tenantId", "nameHash");
CREATE INDEX "TemplatePartial_tenantId_id_idx" ON "TemplatePartial"("tenantId", "id");

CREATE TABLE "PartialUse" (
    "tenantId" TEXT NOT NULL,
    "partialId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,

    CONSTRAINT "PartialUse_pkey" PRIMARY KEY ("tenantId", "partialId", "userId")
);
CREATE INDEX "PartialUse_tenantId_userId_idx" ON "PartialUse"("tenantId", "userId");

CREATE TABLE "PartsRevision" (
    "tenantId" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,

    CONSTRAINT "PartsRevision_pkey" PRIMARY KEY ("tenantId")
);

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

-- Filters of callers, newest event first. Entries hold the first 100 characters of a text: see the models.
CREATE INDEX "Log_tenantId_dateTime_id_idx" ON "Log"("tenantId", "dateTime", "id");
CREATE INDEX "Log_tenantId_documentId_idx" ON "Log"("tenantId", (left("documentId", 100)), "dateTime", "id");
CREATE INDEX "Log_tenantId_documentId_attributeId_idx" ON "Log"("tenantId", (left("documentId", 100)), (left("attributeId", 100)), "dateTime", "id") WHERE "attributeId" IS NOT NULL;
CREATE INDEX "Log_tenantId_documentType_idx" ON "Log"("tenantId", (left("documentType", 100)), "dateTime", "id");
CREATE INDEX "Log_tenantId_authorId_idx" ON "Log"("tenantId", (left("authorId", 100)), "dateTime", "id") WHERE "authorId" IS NOT NULL;
CREATE INDEX "Log_tenantId_attributeId_idx" ON "Log"("tenantId", (left("attributeId", 100)), "dateTime", "id") WHERE "attributeId" IS NOT NULL;
CREATE INDEX "Log_tenantId_action_idx" ON "Log"("tenantId", (left("action", 100)), "dateTime", "id") WHERE "action" IS NOT NULL;
CREATE INDEX "Log_tenantId_custom1_idx" ON "Log"("tenantId", (left("custom1", 100)), "dateTime", "id") WHERE "custom1" IS NOT NULL;
CREATE INDEX "Log_tenantId_custom2_idx" ON "Log"("tenantId", (left("custom2", 100)), "dateTime", "id") WHERE "custom2" IS NOT NULL;

-- Order of the sealer and the verifier
CREATE INDEX "Log_tenantId_seq_idx" ON "Log"("tenantId", "seq");

-- Idempotency keys, which few records have
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

-- Blocks that hand a log over to another key, which every check of its seals reads
CREATE INDEX "LogBlock_keyChange_idx" ON "LogBlock"("tenantId", "number") WHERE "keyChange" IS NOT NULL;

-- Blocks that state how far a log was removed
CREATE INDEX "LogBlock_horizon_idx" ON "LogBlock"("tenantId", "number") WHERE "horizon" IS NOT NULL;

CREATE TABLE "LogStream" (
    "id" TEXT COLLATE "C" NOT NULL,
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "destination" TEXT NOT NULL,
    "secret" TEXT,
    "format" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,
    "position" BIGINT NOT NULL,
    "deliveredTo" TIMESTAMP(3),
    "lastDeliveredAt" TIMESTAMP(3),
    "failingSince" TIMESTAMP(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "lastError" TEXT,
    "notBefore" TIMESTAMP(3),
    "leaseHolder" TEXT,
    "leaseUntil" TIMESTAMP(3),
    CONSTRAINT "LogStream_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "LogStream_tenantId_id_idx" ON "LogStream"("tenantId", "id");

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
    "cancelReason" TEXT,

    CONSTRAINT "Message_pkey" PRIMARY KEY ("tenantId", "pushId", "recipientKey")
);

-- Filters of callers. Entries hold the first 100 characters of a topic: an index entry of PostgreSQL has at most 2,704 bytes.
CREATE INDEX "Message_tenantId_topic_idx" ON "Message"("tenantId", left("topic", 100), "pushId", "recipientKey") WHERE "topic" IS NOT NULL;

-- Without global messages, which would write one entry per recipient. They are found by the primary key.
CREATE INDEX "Message_tenantId_recipientKey_idx" ON "Message"("tenantId", "recipientKey", "pushId") WHERE NOT "isGlobal";
CREATE INDEX "Message_tenantId_status_idx" ON "Message"("tenantId", "status", "pushId", "recipientKey") WHERE "status" <> 'DELIVERED';
CREATE INDEX "Message_tenantId_expiring_idx" ON "Message"("tenantId", "pushId", "recipientKey") WHERE "expiresAt" IS NOT NULL;

-- Work of the sweeper: expiring messages, and messages without an expiry that were not sent at once
CREATE INDEX "Message_expiring_idx" ON "Message"("expiresAt") WHERE "status" = 'PENDING' AND "expiresAt" IS NOT NULL;
CREATE INDEX "Message_fleeting_idx" ON "Message"("pushId") WHERE "status" = 'PENDING' AND "expiresAt" IS NULL;

-- Queued messages of a recipient, with their expiry, so they are counted from the index alone
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

-- Queued messages without the cancelled ones
CREATE INDEX "GlobalMessage_waiting_idx" ON "GlobalMessage"("tenantId", "expiresAt") WHERE "expiresAt" IS NOT NULL AND "cancelledAt" IS NULL;

-- Cancelled messages. Those with copies left to cancel are among the last
CREATE INDEX "GlobalMessage_cancelled_idx" ON "GlobalMessage"("cancelledAt") WHERE "cancelledAt" IS NOT NULL;

CREATE TABLE "OperationKey" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "operation" TEXT NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "inputHash" TEXT NOT NULL,
    "result" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "OperationKey_pkey" PRIMARY KEY ("tenantId", "operation", "key")
);
CREATE INDEX "OperationKey_createdAt_idx" ON "OperationKey"("createdAt");

CREATE TABLE "RecipientCutoff" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "recipientKey" TEXT COLLATE "C" NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "RecipientCutoff_pkey" PRIMARY KEY ("tenantId", "recipientKey")
);
CREATE INDEX "RecipientCutoff_at_idx" ON "RecipientCutoff"("at");

-- Email
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
    "headers" TEXT,
    "tags" TEXT,
    "list" TEXT COLLATE "C",
    "unsubscribeUrl" TEXT,
    "ignoredReasons" TEXT,
    "sendAt" TIMESTAMP(3),

    CONSTRAINT "Email_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "Email_tenantId_id_idx" ON "Email"("tenantId", "id");
CREATE INDEX "Email_tenantId_status_id_idx" ON "Email"("tenantId", "status", "id");
CREATE UNIQUE INDEX "Email_tenantId_idempotencyKey_key" ON "Email"("tenantId", "idempotencyKey") WHERE "idempotencyKey" IS NOT NULL;

-- Queued mails by tenant, so tenants are served in round-robin order
CREATE INDEX "Email_turn_idx" ON "Email"("tenantId", "dueAt", "id") WHERE "status" = 'QUEUED';

-- Queued mails, counted without the scheduled ones from the index alone
CREATE INDEX "Email_status_dueAt_id_sendAt_idx" ON "Email"("status", "dueAt", "id", "sendAt");
CREATE INDEX "Email_scheduled_idx" ON "Email"("tenantId", "id", "sendAt") WHERE "status" = 'QUEUED' AND "sendAt" IS NOT NULL;
CREATE INDEX "Email_sendAt_idx" ON "Email"("tenantId", "sendAt", "id") WHERE "status" = 'QUEUED' AND "sendAt" IS NOT NULL;

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
    "bouncedAt" TIMESTAMP(3),
    "bounceKind" TEXT COLLATE "C",
    "bounceCode" TEXT,
    "bounceDiagnostic" TEXT,
    "suppressed" TEXT COLLATE "C",

    CONSTRAINT "EmailRecipient_pkey" PRIMARY KEY ("emailId","position")
);
CREATE INDEX "EmailRecipient_tenantId_address_emailId_idx" ON "EmailRecipient"("tenantId", "address", "emailId");

-- Recent soft bounces of an address
CREATE INDEX "EmailRecipient_soft_idx" ON "EmailRecipient"("tenantId", "address", "bouncedAt") WHERE "bounceKind" = 'SOFT';
ALTER TABLE "EmailRecipient" ADD CONSTRAINT "EmailRecipient_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "EmailAttachment" (
    "emailId" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "blobKey" TEXT COLLATE "C" NOT NULL,
    "contentType" TEXT NOT NULL,
    "sizeBytes" INTEGER NOT NULL,
    "contentId" TEXT,
    "content" BYTEA,

    CONSTRAINT "EmailAttachment_pkey" PRIMARY KEY ("emailId","position")
);
ALTER TABLE "EmailAttachment" ADD CONSTRAINT "EmailAttachment_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "EmailContent" (
    "emailId" TEXT NOT NULL,
    "html" TEXT,
    "text" TEXT,
    "attachments" TEXT,
    "headers" TEXT,

    CONSTRAINT "EmailContent_pkey" PRIMARY KEY ("emailId")
);
ALTER TABLE "EmailContent" ADD CONSTRAINT "EmailContent_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "EmailTag" (
    "emailId" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "value" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "EmailTag_pkey" PRIMARY KEY ("emailId", "position"),
    CONSTRAINT "EmailTag_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "EmailTag_tenantId_name_value_emailId_idx" ON "EmailTag"("tenantId", "name", "value", "emailId");

CREATE TABLE "EmailDomain" (
    "id" TEXT COLLATE "C" NOT NULL,
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "domain" TEXT COLLATE "C" NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "ownershipToken" TEXT NOT NULL,
    "selector" TEXT NOT NULL,
    "publicKeys" TEXT NOT NULL,
    "privateKeys" TEXT NOT NULL,
    "nextSelector" TEXT,
    "nextPublicKeys" TEXT,
    "nextPrivateKeys" TEXT,
    "rotatedAt" TIMESTAMP(3),
    "previousSelector" TEXT,
    "previousPublicKeys" TEXT,
    "previousUntil" TIMESTAMP(3),
    "hasReturnPath" BOOLEAN NOT NULL DEFAULT false,
    "found" TEXT,
    "lastError" TEXT,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "verifiedAt" TIMESTAMP(3),
    "checkedAt" TIMESTAMP(3),
    "askedAt" TIMESTAMP(3),
    "failingSince" TIMESTAMP(3),
    "dueAt" TIMESTAMP(3),
    "hasEd25519" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "EmailDomain_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "EmailDomain_tenantId_domain_key" ON "EmailDomain"("tenantId", "domain");
-- Domains due for a check
CREATE INDEX "EmailDomain_due_idx" ON "EmailDomain"("dueAt", "id") WHERE "dueAt" IS NOT NULL;

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

CREATE TABLE "EmailSuppression" (
    "id" TEXT COLLATE "C" NOT NULL,
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "address" TEXT COLLATE "C" NOT NULL,
    "list" TEXT COLLATE "C" NOT NULL,
    "reason" TEXT COLLATE "C" NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "expiresAt" TIMESTAMP(3),
    "emailId" TEXT COLLATE "C",
    "diagnostic" TEXT,

    CONSTRAINT "EmailSuppression_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "EmailSuppression_tenantId_address_list_reason_key" ON "EmailSuppression"("tenantId", "address", "list", "reason");
CREATE INDEX "EmailSuppression_tenantId_id_idx" ON "EmailSuppression"("tenantId", "id");
CREATE INDEX "EmailSuppression_tenantId_reason_id_idx" ON "EmailSuppression"("tenantId", "reason", "id");
CREATE INDEX "EmailSuppression_tenantId_list_id_idx" ON "EmailSuppression"("tenantId", "list", "id");
CREATE INDEX "EmailSuppression_tenantId_list_reason_id_idx" ON "EmailSuppression"("tenantId", "list", "reason", "id");
CREATE INDEX "EmailSuppression_end_idx" ON "EmailSuppression"("expiresAt") WHERE "expiresAt" IS NOT NULL;
CREATE INDEX "EmailSuppression_tenantId_address_id_idx" ON "EmailSuppression"("tenantId", "address", "id");

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

-- Webhooks of tenants, and the events for them
CREATE TABLE "Webhook" (
    "id" TEXT COLLATE "C" NOT NULL,
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "service" TEXT COLLATE "C" NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL,
    "description" TEXT,
    "secret" TEXT NOT NULL,
    "previousSecret" TEXT,
    "previousSecretUntil" TIMESTAMP(3),
    "updatedAt" TIMESTAMP(3) NOT NULL,
    "failingSince" TIMESTAMP(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "lastError" TEXT,
    "lastDeliveredAt" TIMESTAMP(3),
    "pausedUntil" TIMESTAMP(3),
    "disabledAt" TIMESTAMP(3),
    "leaseHolder" TEXT,
    "leaseUntil" TIMESTAMP(3),
    "redeliveredAt" TIMESTAMP(3),
    "redelivered" INTEGER NOT NULL DEFAULT 0,
    "redeliveredBytes" INTEGER NOT NULL DEFAULT 0,
    "redeliverUntil" TIMESTAMP(3),
    "olderSecrets" TEXT,

    CONSTRAINT "Webhook_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "Webhook_tenantId_service_id_idx" ON "Webhook"("tenantId", "service", "id");

CREATE TABLE "Event" (
    "webhookId" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "type" TEXT COLLATE "C" NOT NULL,
    "subject" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "bodyBytes" INTEGER NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "dueAt" TIMESTAMP(3),
    "attemptedAt" TIMESTAMP(3),
    "responseStatus" INTEGER,
    "answer" TEXT,
    "durationMs" INTEGER,
    "lastError" TEXT,

    CONSTRAINT "Event_pkey" PRIMARY KEY ("webhookId", "id")
);
CREATE INDEX "Event_webhookId_type_id_idx" ON "Event"("webhookId", "type", "id");
CREATE INDEX "Event_tenantId_id_idx" ON "Event"("tenantId", "id");
-- Due events, and lists by a status that few events have
CREATE INDEX "Event_due_idx" ON "Event"("webhookId", "dueAt", "id") WHERE "status" = 'PENDING' AND "dueAt" IS NOT NULL;
CREATE INDEX "Event_undelivered_idx" ON "Event"("webhookId", "status", "id") WHERE "status" <> 'DELIVERED';

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
