-- Baseline: the schema of 0.3.0, the first release. Later migrations add to it.

-- Tenants, their keys and limits; leases of background work
CREATE TABLE "Tenant" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "maxStoredBytes" BIGINT,
    "maxFiles" BIGINT,
    "maxWaitingMessages" BIGINT,
    "maxTemplates" BIGINT,
    "maxStylesheets" BIGINT,
    "maxMailsPerDay" BIGINT,
    "suspendedAt" DATETIME,
    "deletingAt" DATETIME,
    "fileRetentionDays" INTEGER,
    "messageRetentionDays" INTEGER,
    "mailRetentionDays" INTEGER,
    "logRetentionDays" INTEGER,
    "eventRetentionDays" INTEGER,
    "maxWaitingEvents" BIGINT
);
CREATE UNIQUE INDEX "Tenant_name_key" ON "Tenant"("name");

-- Suspended tenants, which every node reads every second
CREATE INDEX "Tenant_suspended_idx" ON "Tenant"("id") WHERE "suspendedAt" IS NOT NULL;

CREATE TABLE "ApiKey" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "expiresAt" DATETIME,
    "lastUsedAt" DATETIME,
    "revokedAt" DATETIME,
    "mac" TEXT NOT NULL DEFAULT '',
    "name" TEXT,
    CONSTRAINT "ApiKey_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "ApiKey_hash_key" ON "ApiKey"("hash");
CREATE INDEX "ApiKey_tenantId_id_idx" ON "ApiKey"("tenantId", "id");

CREATE TABLE "Lease" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "holder" TEXT NOT NULL,
    "expiresAt" DATETIME NOT NULL
);

-- Files
CREATE TABLE "File" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "name" TEXT,
    "comment" TEXT,
    "author" TEXT,
    "contentType" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "errorCode" TEXT,
    "errorMessage" TEXT,
    "externalReference" TEXT,
    "public" BOOLEAN NOT NULL,
    "attributes" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL,
    "expiresAt" DATETIME,
    "expectedSha256" TEXT,
    "blobKey" TEXT,
    "contentLength" BIGINT,
    "checksumSha256" TEXT,
    "etag" TEXT,
    "disposition" TEXT,
    "storedAt" DATETIME,
    "sweepAt" DATETIME,
    "externalReferenceKey" TEXT,
    "nameKey" TEXT,
    "cacheControl" TEXT,
    "maxBytes" BIGINT,
    "accept" TEXT
);
CREATE UNIQUE INDEX "File_tenantId_id_key" ON "File"("tenantId", "id");
CREATE INDEX "File_tenantId_status_id_idx" ON "File"("tenantId", "status", "id");
CREATE INDEX "File_sweepAt_idx" ON "File"("sweepAt");
CREATE INDEX "File_tenantId_externalReferenceKey_id_idx" ON "File"("tenantId", "externalReferenceKey", "id");

-- Folder of each name, up to its last slash, cut to the length that PostgreSQL can index. The last segment is read as the last element
-- of a JSON list: every other expression of SQLite takes quadratic time.
CREATE INDEX "File_tenantId_folder_id_idx" ON "File"("tenantId", substr("name", 1, min(length("name") - length(json_extract('[' || replace(json_quote(CAST("name" AS TEXT)), '/', '","') || ']', '$[#-1]')), 500)), "id");

-- Orders of lists
CREATE INDEX "File_tenantId_nameKey_id_idx" ON "File"("tenantId", "nameKey", "id");
CREATE INDEX "File_tenantId_updatedAt_id_idx" ON "File"("tenantId", "updatedAt", "id");
CREATE INDEX "File_size_idx" ON "File"("tenantId", "contentLength", "id") WHERE "contentLength" IS NOT NULL;
CREATE INDEX "File_expiry_idx" ON "File"("tenantId", "expiresAt", "id") WHERE "expiresAt" IS NOT NULL;

CREATE TABLE "FolderDeletion" (
    "tenantId" TEXT NOT NULL,
    "folderHash" TEXT NOT NULL,
    "folder" TEXT NOT NULL,
    "askedAt" DATETIME NOT NULL,

    PRIMARY KEY ("tenantId", "folderHash")
);
CREATE INDEX "FolderDeletion_askedAt_idx" ON "FolderDeletion"("askedAt");

CREATE TABLE "FileUsage" (
    "tenantId" TEXT NOT NULL,
    "shard" INTEGER NOT NULL,
    "fileCount" BIGINT NOT NULL,
    "fileSize" BIGINT NOT NULL,
    "billableFileSize" BIGINT NOT NULL,
    "partSize" BIGINT NOT NULL DEFAULT 0,

    PRIMARY KEY ("tenantId", "shard")
);

CREATE TABLE "MultipartUpload" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "fileId" TEXT NOT NULL,
    "blobKey" TEXT NOT NULL,
    "storeUploadId" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "completedParts" TEXT,
    "partsListedAt" DATETIME
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

    PRIMARY KEY ("uploadId", "partNumber"),
    CONSTRAINT "MultipartPart_uploadId_fkey" FOREIGN KEY ("uploadId") REFERENCES "MultipartUpload" ("id") ON DELETE CASCADE ON UPDATE CASCADE
) WITHOUT ROWID;

CREATE TABLE "StorageSample" (
    "tenantId" TEXT NOT NULL,
    "at" DATETIME NOT NULL,
    "fileSize" BIGINT NOT NULL,
    "fileCount" BIGINT NOT NULL,
    "sweepAt" DATETIME NOT NULL,

    PRIMARY KEY ("tenantId", "at")
);
CREATE INDEX "StorageSample_sweepAt_idx" ON "StorageSample"("sweepAt");

-- Usage changes in the transaction of its file. SQLite has one writer, so one shard is enough.
CREATE TRIGGER "File_usage_insert" AFTER INSERT ON "File"
BEGIN
    INSERT INTO "FileUsage" ("tenantId", "shard", "fileCount", "fileSize", "billableFileSize")
    VALUES (
        NEW."tenantId", 0, 1, coalesce(NEW."contentLength", 0),
        CASE WHEN NEW."status" = 'expired' THEN 0 ELSE max(coalesce(NEW."contentLength", 0), 131072) END
    )
    ON CONFLICT ("tenantId", "shard") DO UPDATE SET
        "fileCount" = "fileCount" + excluded."fileCount",
        "fileSize" = "fileSize" + excluded."fileSize",
        "billableFileSize" = "billableFileSize" + excluded."billableFileSize";
END;

CREATE TRIGGER "File_usage_update" AFTER UPDATE OF "contentLength", "status" ON "File"
WHEN OLD."contentLength" IS NOT NEW."contentLength" OR OLD."status" <> NEW."status"
BEGIN
    UPDATE "FileUsage" SET
        "fileSize" = "fileSize" + coalesce(NEW."contentLength", 0) - coalesce(OLD."contentLength", 0),
        "billableFileSize" = "billableFileSize"
            + CASE WHEN NEW."status" = 'expired' THEN 0 ELSE max(coalesce(NEW."contentLength", 0), 131072) END
            - CASE WHEN OLD."status" = 'expired' THEN 0 ELSE max(coalesce(OLD."contentLength", 0), 131072) END
    WHERE "tenantId" = NEW."tenantId" AND "shard" = 0;
END;

CREATE TRIGGER "File_usage_delete" AFTER DELETE ON "File"
BEGIN
    UPDATE "FileUsage" SET
        "fileCount" = "fileCount" - 1,
        "fileSize" = "fileSize" - coalesce(OLD."contentLength", 0),
        "billableFileSize" = "billableFileSize"
            - CASE WHEN OLD."status" = 'expired' THEN 0 ELSE max(coalesce(OLD."contentLength", 0), 131072) END
    WHERE "tenantId" = OLD."tenantId" AND "shard" = 0;
END;

-- Usage changes in the transaction of its part
CREATE TRIGGER "MultipartPart_usage_insert" AFTER INSERT ON "MultipartPart"
BEGIN
    INSERT INTO "FileUsage" ("tenantId", "shard", "fileCount", "fileSize", "billableFileSize", "partSize")
    VALUES (NEW."tenantId", 0, 0, 0, 0, NEW."sizeBytes")
    ON CONFLICT ("tenantId", "shard") DO UPDATE SET "partSize" = "partSize" + excluded."partSize";
END;

CREATE TRIGGER "MultipartPart_usage_update" AFTER UPDATE OF "sizeBytes" ON "MultipartPart"
BEGIN
    UPDATE "FileUsage" SET "partSize" = "partSize" + NEW."sizeBytes" - OLD."sizeBytes"
    WHERE "tenantId" = NEW."tenantId" AND "shard" = 0;
END;

CREATE TRIGGER "MultipartPart_usage_delete" AFTER DELETE ON "MultipartPart"
BEGIN
    UPDATE "FileUsage" SET "partSize" = "partSize" - OLD."sizeBytes"
    WHERE "tenantId" = OLD."tenantId" AND "shard" = 0;
END;

-- Templates and stylesheets
CREATE TABLE "Css" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "nameHash" TEXT NOT NULL,
    "text" TEXT,
    "author" TEXT,
    "revision" INTEGER NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL
);
CREATE INDEX "Css_tenantId_nameHash_id_idx" ON "Css"("tenantId", "nameHash", "id");
CREATE UNIQUE INDEX "Css_tenantId_id_key" ON "Css"("tenantId", "id");

CREATE TABLE "Template" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "nameHash" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL,
    "subject" TEXT,
    "body" TEXT NOT NULL,
    "css" TEXT,
    "parentCssId" TEXT,
    "contentType" TEXT NOT NULL,
    "comment" TEXT,
    "author" TEXT,
    "revision" INTEGER NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL,
    "layoutId" TEXT,
    "locale" TEXT,
    "sampleParams" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    CONSTRAINT "Template_tenantId_parentCssId_fkey" FOREIGN KEY ("tenantId", "parentCssId") REFERENCES "Css" ("tenantId", "id") ON DELETE NO ACTION ON UPDATE NO ACTION
);
CREATE INDEX "Template_tenantId_active_id_idx" ON "Template"("tenantId", "active", "id");
CREATE INDEX "Template_tenantId_parentCssId_id_idx" ON "Template"("tenantId", "parentCssId", "id");
CREATE UNIQUE INDEX "Template_tenantId_nameHash_key" ON "Template"("tenantId", "nameHash");
CREATE UNIQUE INDEX "Template_tenantId_id_key" ON "Template"("tenantId", "id");
CREATE INDEX "Template_tenantId_layoutId_id_idx" ON "Template"("tenantId", "layoutId", "id");
CREATE INDEX "Template_name_idx" ON "Template"("tenantId", substr("name", 1, 100), "id");
CREATE INDEX "Template_tenantId_updatedAt_id_idx" ON "Template"("tenantId", "updatedAt", "id");

CREATE TABLE "TemplateTranslation" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "templateId" TEXT NOT NULL,
    "locale" TEXT NOT NULL,
    "subject" TEXT,
    "body" TEXT NOT NULL,
    "author" TEXT,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL
);
CREATE UNIQUE INDEX "TemplateTranslation_tenantId_templateId_locale_key" ON "TemplateTranslation"("tenantId", "templateId", "locale");
CREATE INDEX "TemplateTranslation_tenantId_id_idx" ON "TemplateTranslation"("tenantId", "id");

CREATE TABLE "TemplateVersion" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "templateId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "contentType" TEXT NOT NULL,
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
    "createdAt" DATETIME NOT NULL
);
CREATE UNIQUE INDEX "TemplateVersion_tenantId_templateId_version_key" ON "TemplateVersion"("tenantId", "templateId", "version");
CREATE INDEX "TemplateVersion_tenantId_id_idx" ON "TemplateVersion"("tenantId", "id");

CREATE TABLE "TemplatePartial" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "nameHash" TEXT NOT NULL,
    "contentType" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "author" TEXT,
    "revision" INTEGER NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL
);
CREATE UNIQUE INDEX "TemplatePartial_tenantId_nameHash_key" ON "TemplatePartial"("tenantId", "nameHash");
CREATE INDEX "TemplatePartial_tenantId_id_idx" ON "TemplatePartial"("tenantId", "id");

CREATE TABLE "PartialUse" (
    "tenantId" TEXT NOT NULL,
    "partialId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,

    PRIMARY KEY ("tenantId", "partialId", "userId")
);
CREATE INDEX "PartialUse_tenantId_userId_idx" ON "PartialUse"("tenantId", "userId");

CREATE TABLE "PartsRevision" (
    "tenantId" TEXT NOT NULL PRIMARY KEY,
    "revision" INTEGER NOT NULL
);

-- The Document Log
CREATE TABLE "Log" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "id" TEXT NOT NULL,
    "tenantId" TEXT NOT NULL,
    "documentId" TEXT NOT NULL,
    "documentType" TEXT NOT NULL,
    "dateTime" DATETIME NOT NULL,
    "attributeId" TEXT,
    "authorId" TEXT,
    "action" TEXT,
    "comment" TEXT,
    "custom1" TEXT,
    "custom2" TEXT,
    "details" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "updateAt" DATETIME,
    "editCount" INTEGER NOT NULL DEFAULT 0,
    "idempotencyKey" TEXT,
    "inputHash" TEXT,
    "leafHash" TEXT NOT NULL,
    "mac" TEXT NOT NULL,
    "salt" TEXT,
    "personalHash" TEXT,
    "erasedAt" DATETIME
);
CREATE UNIQUE INDEX "Log_id_key" ON "Log"("id");

-- Filters of callers, newest event first. Entries hold the first 100 characters of a text: see the models.
CREATE INDEX "Log_tenantId_dateTime_id_idx" ON "Log"("tenantId", "dateTime", "id");
CREATE INDEX "Log_tenantId_documentId_idx" ON "Log"("tenantId", substr("documentId", 1, 100), "dateTime", "id");
CREATE INDEX "Log_tenantId_documentId_attributeId_idx" ON "Log"("tenantId", substr("documentId", 1, 100), substr("attributeId", 1, 100), "dateTime", "id") WHERE "attributeId" IS NOT NULL;
CREATE INDEX "Log_tenantId_documentType_idx" ON "Log"("tenantId", substr("documentType", 1, 100), "dateTime", "id");
CREATE INDEX "Log_tenantId_authorId_idx" ON "Log"("tenantId", substr("authorId", 1, 100), "dateTime", "id") WHERE "authorId" IS NOT NULL;
CREATE INDEX "Log_tenantId_attributeId_idx" ON "Log"("tenantId", substr("attributeId", 1, 100), "dateTime", "id") WHERE "attributeId" IS NOT NULL;
CREATE INDEX "Log_tenantId_action_idx" ON "Log"("tenantId", substr("action", 1, 100), "dateTime", "id") WHERE "action" IS NOT NULL;
CREATE INDEX "Log_tenantId_custom1_idx" ON "Log"("tenantId", substr("custom1", 1, 100), "dateTime", "id") WHERE "custom1" IS NOT NULL;
CREATE INDEX "Log_tenantId_custom2_idx" ON "Log"("tenantId", substr("custom2", 1, 100), "dateTime", "id") WHERE "custom2" IS NOT NULL;

-- Order of the sealer and the verifier
CREATE INDEX "Log_tenantId_seq_idx" ON "Log"("tenantId", "seq");

-- Idempotency keys, which few records have
CREATE UNIQUE INDEX "Log_tenantId_idempotencyKey_key" ON "Log"("tenantId", "idempotencyKey") WHERE "idempotencyKey" IS NOT NULL;

CREATE TABLE "LogEdit" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "id" TEXT NOT NULL,
    "tenantId" TEXT NOT NULL,
    "logId" TEXT NOT NULL,
    "dateTime" DATETIME NOT NULL,
    "field" TEXT NOT NULL,
    "oldValue" TEXT,
    "newValue" TEXT,
    "leafHash" TEXT NOT NULL,
    "mac" TEXT NOT NULL,
    "salt" TEXT,
    "personalHash" TEXT
);
CREATE UNIQUE INDEX "LogEdit_id_key" ON "LogEdit"("id");
CREATE INDEX "LogEdit_logId_seq_idx" ON "LogEdit"("logId", "seq");
CREATE INDEX "LogEdit_tenantId_seq_idx" ON "LogEdit"("tenantId", "seq");

CREATE TABLE "LogBlock" (
    "tenantId" TEXT NOT NULL,
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
    "sealedAt" DATETIME NOT NULL,
    "keyChange" TEXT,
    "horizon" TEXT,

    PRIMARY KEY ("tenantId", "number")
);
CREATE INDEX "LogBlock_tenantId_sealedAt_idx" ON "LogBlock"("tenantId", "sealedAt");
CREATE INDEX "LogBlock_tenantId_toSeq_idx" ON "LogBlock"("tenantId", "toSeq");
CREATE INDEX "LogBlock_toSeq_toEditSeq_idx" ON "LogBlock"("toSeq", "toEditSeq");

-- Blocks that hand a log over to another key, which every check of its seals reads
CREATE INDEX "LogBlock_keyChange_idx" ON "LogBlock"("tenantId", "number") WHERE "keyChange" IS NOT NULL;

-- Blocks that state how far a log was removed
CREATE INDEX "LogBlock_horizon_idx" ON "LogBlock"("tenantId", "number") WHERE "horizon" IS NOT NULL;

CREATE TABLE "LogStream" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "destination" TEXT NOT NULL,
    "secret" TEXT,
    "format" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL,
    "updatedAt" DATETIME NOT NULL,
    "position" BIGINT NOT NULL,
    "deliveredTo" DATETIME,
    "lastDeliveredAt" DATETIME,
    "failingSince" DATETIME,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "lastError" TEXT,
    "notBefore" DATETIME,
    "leaseHolder" TEXT,
    "leaseUntil" DATETIME
);
CREATE INDEX "LogStream_tenantId_id_idx" ON "LogStream"("tenantId", "id");

-- Messages
CREATE TABLE "Message" (
    "tenantId" TEXT NOT NULL,
    "pushId" TEXT NOT NULL,
    "recipientKey" TEXT NOT NULL,
    "recipient" TEXT,
    "message" TEXT,
    "topic" TEXT,
    "status" TEXT NOT NULL,
    "expiresAt" DATETIME,
    "sentAt" DATETIME,
    "deliveredAt" DATETIME,
    "cancelledAt" DATETIME,
    "isGlobal" BOOLEAN NOT NULL,
    "cancelReason" TEXT,

    PRIMARY KEY ("tenantId", "pushId", "recipientKey")
) WITHOUT ROWID;

-- Filters of callers. Entries hold the first 100 characters of a topic: an index entry of PostgreSQL has at most 2,704 bytes.
CREATE INDEX "Message_tenantId_topic_idx" ON "Message"("tenantId", substr("topic", 1, 100), "pushId", "recipientKey") WHERE "topic" IS NOT NULL;

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
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "topic" TEXT,
    "expiresAt" DATETIME,
    "cancelledAt" DATETIME,

    PRIMARY KEY ("tenantId", "id")
);
CREATE INDEX "GlobalMessage_tenantId_topic_id_idx" ON "GlobalMessage"("tenantId", substr("topic", 1, 100), "id") WHERE "topic" IS NOT NULL;
CREATE INDEX "GlobalMessage_tenantId_expiresAt_idx" ON "GlobalMessage"("tenantId", "expiresAt") WHERE "expiresAt" IS NOT NULL;

-- Queued messages without the cancelled ones
CREATE INDEX "GlobalMessage_waiting_idx" ON "GlobalMessage"("tenantId", "expiresAt") WHERE "expiresAt" IS NOT NULL AND "cancelledAt" IS NULL;

-- Cancelled messages. Those with copies left to cancel are among the last
CREATE INDEX "GlobalMessage_cancelled_idx" ON "GlobalMessage"("cancelledAt") WHERE "cancelledAt" IS NOT NULL;

CREATE TABLE "OperationKey" (
    "tenantId" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "inputHash" TEXT NOT NULL,
    "result" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,

    PRIMARY KEY ("tenantId", "operation", "key")
);
CREATE INDEX "OperationKey_createdAt_idx" ON "OperationKey"("createdAt");

CREATE TABLE "RecipientCutoff" (
    "tenantId" TEXT NOT NULL,
    "recipientKey" TEXT NOT NULL,
    "at" DATETIME NOT NULL,

    PRIMARY KEY ("tenantId", "recipientKey")
);
CREATE INDEX "RecipientCutoff_at_idx" ON "RecipientCutoff"("at");

-- Email
CREATE TABLE "Email" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "messageId" TEXT NOT NULL,
    "fromAddress" TEXT NOT NULL,
    "fromName" TEXT,
    "replyToAddress" TEXT,
    "replyToName" TEXT,
    "subject" TEXT NOT NULL,
    "html" TEXT,
    "text" TEXT,
    "status" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL,
    "lastError" TEXT,
    "createdAt" DATETIME NOT NULL,
    "sentAt" DATETIME,
    "giveUpAt" DATETIME NOT NULL,
    "dueAt" DATETIME NOT NULL,
    "leaseHolder" TEXT,
    "idempotencyKey" TEXT,
    "inputHash" TEXT,
    "hasAttachments" BOOLEAN NOT NULL,
    "traceContext" TEXT,
    "headers" TEXT,
    "tags" TEXT,
    "list" TEXT,
    "unsubscribeUrl" TEXT,
    "ignoredReasons" TEXT,
    "sendAt" DATETIME
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
    "emailId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "tenantId" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "name" TEXT,
    "status" TEXT NOT NULL,
    "lastError" TEXT,
    "attempts" INTEGER,
    "bouncedAt" DATETIME,
    "bounceKind" TEXT,
    "bounceCode" TEXT,
    "bounceDiagnostic" TEXT,
    "suppressed" TEXT,

    PRIMARY KEY ("emailId", "position"),
    CONSTRAINT "EmailRecipient_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email" ("id") ON DELETE CASCADE ON UPDATE CASCADE
) WITHOUT ROWID;
CREATE INDEX "EmailRecipient_tenantId_address_emailId_idx" ON "EmailRecipient"("tenantId", "address", "emailId");

-- Recent soft bounces of an address
CREATE INDEX "EmailRecipient_soft_idx" ON "EmailRecipient"("tenantId", "address", "bouncedAt") WHERE "bounceKind" = 'SOFT';

CREATE TABLE "EmailAttachment" (
    "emailId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "blobKey" TEXT NOT NULL,
    "contentType" TEXT NOT NULL,
    "sizeBytes" INTEGER NOT NULL,
    "contentId" TEXT,
    "content" BLOB,

    PRIMARY KEY ("emailId", "position"),
    CONSTRAINT "EmailAttachment_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email" ("id") ON DELETE CASCADE ON UPDATE CASCADE
) WITHOUT ROWID;

CREATE TABLE "EmailContent" (
    "emailId" TEXT NOT NULL PRIMARY KEY,
    "html" TEXT,
    "text" TEXT,
    "attachments" TEXT,
    "headers" TEXT,
    CONSTRAINT "EmailContent_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE "EmailTag" (
    "emailId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "tenantId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "EmailTag_pkey" PRIMARY KEY ("emailId", "position"),
    CONSTRAINT "EmailTag_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "EmailTag_tenantId_name_value_emailId_idx" ON "EmailTag"("tenantId", "name", "value", "emailId");

CREATE TABLE "EmailDomain" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "ownershipToken" TEXT NOT NULL,
    "selector" TEXT NOT NULL,
    "publicKeys" TEXT NOT NULL,
    "privateKeys" TEXT NOT NULL,
    "nextSelector" TEXT,
    "nextPublicKeys" TEXT,
    "nextPrivateKeys" TEXT,
    "rotatedAt" DATETIME,
    "previousSelector" TEXT,
    "previousPublicKeys" TEXT,
    "previousUntil" DATETIME,
    "hasReturnPath" BOOLEAN NOT NULL DEFAULT false,
    "found" TEXT,
    "lastError" TEXT,
    "createdAt" DATETIME NOT NULL,
    "verifiedAt" DATETIME,
    "checkedAt" DATETIME,
    "askedAt" DATETIME,
    "failingSince" DATETIME,
    "dueAt" DATETIME,
    "hasEd25519" BOOLEAN NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX "EmailDomain_tenantId_domain_key" ON "EmailDomain"("tenantId", "domain");
-- Domains due for a check
CREATE INDEX "EmailDomain_due_idx" ON "EmailDomain"("dueAt", "id") WHERE "dueAt" IS NOT NULL;

CREATE TABLE "EmailIdentity" (
    "tenantId" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "tokenHash" TEXT NOT NULL,
    "tokenExpiresAt" DATETIME NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "verifiedAt" DATETIME,
    "mailId" TEXT,

    PRIMARY KEY ("tenantId", "address")
);
CREATE UNIQUE INDEX "EmailIdentity_tokenHash_key" ON "EmailIdentity"("tokenHash");

CREATE TABLE "EmailSuppression" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "list" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "expiresAt" DATETIME,
    "emailId" TEXT,
    "diagnostic" TEXT
);
CREATE UNIQUE INDEX "EmailSuppression_tenantId_address_list_reason_key" ON "EmailSuppression"("tenantId", "address", "list", "reason");
CREATE INDEX "EmailSuppression_tenantId_id_idx" ON "EmailSuppression"("tenantId", "id");
CREATE INDEX "EmailSuppression_tenantId_reason_id_idx" ON "EmailSuppression"("tenantId", "reason", "id");
CREATE INDEX "EmailSuppression_tenantId_list_id_idx" ON "EmailSuppression"("tenantId", "list", "id");
CREATE INDEX "EmailSuppression_tenantId_list_reason_id_idx" ON "EmailSuppression"("tenantId", "list", "reason", "id");
CREATE INDEX "EmailSuppression_end_idx" ON "EmailSuppression"("expiresAt") WHERE "expiresAt" IS NOT NULL;
CREATE INDEX "EmailSuppression_tenantId_address_id_idx" ON "EmailSuppression"("tenantId", "address", "id");

CREATE TABLE "EmailValidationCount" (
    "address" TEXT NOT NULL PRIMARY KEY,
    "day" TEXT NOT NULL,
    "mails" INTEGER NOT NULL
);
CREATE INDEX "EmailValidationCount_day_idx" ON "EmailValidationCount"("day");

CREATE TABLE "EmailValidationTotal" (
    "tenantId" TEXT NOT NULL PRIMARY KEY,
    "day" TEXT NOT NULL,
    "mails" INTEGER NOT NULL
);
CREATE INDEX "EmailValidationTotal_day_idx" ON "EmailValidationTotal"("day");

CREATE TABLE "BlobPin" (
    "blobKey" TEXT NOT NULL,
    "holderId" TEXT NOT NULL,

    PRIMARY KEY ("blobKey", "holderId")
);
CREATE INDEX "BlobPin_holderId_idx" ON "BlobPin"("holderId");

-- Webhooks of tenants, and the events for them
CREATE TABLE "Webhook" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "service" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL,
    "description" TEXT,
    "secret" TEXT NOT NULL,
    "previousSecret" TEXT,
    "previousSecretUntil" DATETIME,
    "updatedAt" DATETIME NOT NULL,
    "failingSince" DATETIME,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "lastError" TEXT,
    "lastDeliveredAt" DATETIME,
    "pausedUntil" DATETIME,
    "disabledAt" DATETIME,
    "leaseHolder" TEXT,
    "leaseUntil" DATETIME,
    "redeliveredAt" DATETIME,
    "redelivered" INTEGER NOT NULL DEFAULT 0,
    "redeliveredBytes" INTEGER NOT NULL DEFAULT 0,
    "redeliverUntil" DATETIME,
    "olderSecrets" TEXT
);
CREATE INDEX "Webhook_tenantId_service_id_idx" ON "Webhook"("tenantId", "service", "id");

CREATE TABLE "Event" (
    "webhookId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "tenantId" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "bodyBytes" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "dueAt" DATETIME,
    "attemptedAt" DATETIME,
    "responseStatus" INTEGER,
    "answer" TEXT,
    "durationMs" INTEGER,
    "lastError" TEXT,

    PRIMARY KEY ("webhookId", "id")
);
CREATE INDEX "Event_webhookId_type_id_idx" ON "Event"("webhookId", "type", "id");
CREATE INDEX "Event_tenantId_id_idx" ON "Event"("tenantId", "id");
-- Due events, and lists by a status that few events have
CREATE INDEX "Event_due_idx" ON "Event"("webhookId", "dueAt", "id") WHERE "status" = 'PENDING' AND "dueAt" IS NOT NULL;
CREATE INDEX "Event_undelivered_idx" ON "Event"("webhookId", "status", "id") WHERE "status" <> 'DELIVERED';

-- Erasures of persons
CREATE TABLE "PersonErasure" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "authorId" TEXT,
    "recipient" TEXT,
    "emailAddress" TEXT,
    "erased" TEXT NOT NULL,
    "problem" TEXT,
    "endedAt" DATETIME
);
CREATE INDEX "PersonErasure_tenantId_id_idx" ON "PersonErasure"("tenantId", "id");
CREATE INDEX "PersonErasure_endedAt_id_idx" ON "PersonErasure"("endedAt", "id");
