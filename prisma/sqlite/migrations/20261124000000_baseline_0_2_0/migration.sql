-- The schema of release 0.2.0, which later migrations add to.

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
    "logRetentionDays" INTEGER
);
CREATE UNIQUE INDEX "Tenant_name_key" ON "Tenant"("name");

-- Every node reads the suspended tenants every second.
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
    "cacheControl" TEXT
);
CREATE UNIQUE INDEX "File_tenantId_id_key" ON "File"("tenantId", "id");
CREATE INDEX "File_tenantId_status_id_idx" ON "File"("tenantId", "status", "id");
CREATE INDEX "File_sweepAt_idx" ON "File"("sweepAt");
CREATE INDEX "File_tenantId_externalReferenceKey_id_idx" ON "File"("tenantId", "externalReferenceKey", "id");
CREATE INDEX "File_tenantId_nameKey_idx" ON "File"("tenantId", "nameKey");

-- Files of a tenant that nothing has changed since a time
CREATE INDEX "File_tenantId_updatedAt_idx" ON "File"("tenantId", "updatedAt");

-- The folder of each name, up to its last slash, as far as PostgreSQL can index it. The last part of a name is the last element
-- of a JSON list: no other expression of SQLite finds it in a time that grows with the name, and not with its square.
CREATE INDEX "File_tenantId_folder_id_idx" ON "File"("tenantId", substr("name", 1, min(length("name") - length(json_extract('[' || replace(json_quote(CAST("name" AS TEXT)), '/', '","') || ']', '$[#-1]')), 500)), "id");

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

-- What the sweeper asks the store for
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

-- Usage follows the files, in the same transaction. One writer at a time, so one shard is enough.
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

-- Usage follows the parts as it follows the files
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
    CONSTRAINT "Template_tenantId_parentCssId_fkey" FOREIGN KEY ("tenantId", "parentCssId") REFERENCES "Css" ("tenantId", "id") ON DELETE NO ACTION ON UPDATE NO ACTION
);
CREATE INDEX "Template_tenantId_active_id_idx" ON "Template"("tenantId", "active", "id");
CREATE INDEX "Template_tenantId_parentCssId_id_idx" ON "Template"("tenantId", "parentCssId", "id");
CREATE UNIQUE INDEX "Template_tenantId_nameHash_key" ON "Template"("tenantId", "nameHash");
CREATE UNIQUE INDEX "Template_tenantId_id_key" ON "Template"("tenantId", "id");

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

-- What callers filter by, newest event first. The first 100 characters: see the models.
CREATE INDEX "Log_tenantId_dateTime_id_idx" ON "Log"("tenantId", "dateTime", "id");
CREATE INDEX "Log_tenantId_documentId_idx" ON "Log"("tenantId", substr("documentId", 1, 100), "dateTime", "id");
CREATE INDEX "Log_tenantId_documentId_attributeId_idx" ON "Log"("tenantId", substr("documentId", 1, 100), substr("attributeId", 1, 100), "dateTime", "id") WHERE "attributeId" IS NOT NULL;
CREATE INDEX "Log_tenantId_documentType_idx" ON "Log"("tenantId", substr("documentType", 1, 100), "dateTime", "id");
CREATE INDEX "Log_tenantId_authorId_idx" ON "Log"("tenantId", substr("authorId", 1, 100), "dateTime", "id") WHERE "authorId" IS NOT NULL;
CREATE INDEX "Log_tenantId_attributeId_idx" ON "Log"("tenantId", substr("attributeId", 1, 100), "dateTime", "id") WHERE "attributeId" IS NOT NULL;
CREATE INDEX "Log_tenantId_action_idx" ON "Log"("tenantId", substr("action", 1, 100), "dateTime", "id") WHERE "action" IS NOT NULL;
CREATE INDEX "Log_tenantId_custom1_idx" ON "Log"("tenantId", substr("custom1", 1, 100), "dateTime", "id") WHERE "custom1" IS NOT NULL;
CREATE INDEX "Log_tenantId_custom2_idx" ON "Log"("tenantId", substr("custom2", 1, 100), "dateTime", "id") WHERE "custom2" IS NOT NULL;

-- The sealer and verifier walk a tenant's records in the order of seq.
CREATE INDEX "Log_tenantId_seq_idx" ON "Log"("tenantId", "seq");

-- Few records have a key, and those that have none need no entry.
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

-- The few blocks that hand a log over to another key, which are looked for in every check of its seals.
CREATE INDEX "LogBlock_keyChange_idx" ON "LogBlock"("tenantId", "number") WHERE "keyChange" IS NOT NULL;

-- The few blocks that say how far a log was removed.
CREATE INDEX "LogBlock_horizon_idx" ON "LogBlock"("tenantId", "number") WHERE "horizon" IS NOT NULL;

CREATE TABLE "LogFormat" (
    "id" INTEGER NOT NULL PRIMARY KEY,
    "leafVersion" INTEGER NOT NULL
);

-- Nodes of 0.2.0 salt the leaves of new records because of this row
INSERT INTO "LogFormat" ("id", "leafVersion") VALUES (1, 2);

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

    PRIMARY KEY ("tenantId", "pushId", "recipientKey")
) WITHOUT ROWID;

-- What callers filter by. The first 100 characters of a topic: an index of PostgreSQL holds no more than 2,704 bytes.
CREATE INDEX "Message_tenantId_topic_idx" ON "Message"("tenantId", substr("topic", 1, 100), "pushId", "recipientKey") WHERE "topic" IS NOT NULL;

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

-- What waits, without what was cancelled
CREATE INDEX "GlobalMessage_waiting_idx" ON "GlobalMessage"("tenantId", "expiresAt") WHERE "expiresAt" IS NOT NULL AND "cancelledAt" IS NULL;

-- Those whose parts are still to be cancelled are among the last
CREATE INDEX "GlobalMessage_cancelled_idx" ON "GlobalMessage"("cancelledAt") WHERE "cancelledAt" IS NOT NULL;

CREATE TABLE "PushKey" (
    "tenantId" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "inputHash" TEXT NOT NULL,
    "result" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,

    PRIMARY KEY ("tenantId", "operation", "key")
);
CREATE INDEX "PushKey_createdAt_idx" ON "PushKey"("createdAt");

CREATE TABLE "RecipientCutoff" (
    "tenantId" TEXT NOT NULL,
    "recipientKey" TEXT NOT NULL,
    "at" DATETIME NOT NULL,

    PRIMARY KEY ("tenantId", "recipientKey")
);
CREATE INDEX "RecipientCutoff_at_idx" ON "RecipientCutoff"("at");

-- Mails
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
    "traceContext" TEXT
);
CREATE INDEX "Email_tenantId_id_idx" ON "Email"("tenantId", "id");
CREATE INDEX "Email_tenantId_status_id_idx" ON "Email"("tenantId", "status", "id");
CREATE INDEX "Email_status_dueAt_id_idx" ON "Email"("status", "dueAt", "id");
CREATE UNIQUE INDEX "Email_tenantId_idempotencyKey_key" ON "Email"("tenantId", "idempotencyKey") WHERE "idempotencyKey" IS NOT NULL;

-- What waits to be sent, by tenant, so that tenants can take turns
CREATE INDEX "Email_turn_idx" ON "Email"("tenantId", "dueAt", "id") WHERE "status" = 'QUEUED';

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

    PRIMARY KEY ("emailId", "position"),
    CONSTRAINT "EmailRecipient_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email" ("id") ON DELETE CASCADE ON UPDATE CASCADE
) WITHOUT ROWID;
CREATE INDEX "EmailRecipient_tenantId_address_emailId_idx" ON "EmailRecipient"("tenantId", "address", "emailId");

CREATE TABLE "EmailAttachment" (
    "emailId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "blobKey" TEXT NOT NULL,
    "contentType" TEXT NOT NULL,
    "sizeBytes" INTEGER NOT NULL,

    PRIMARY KEY ("emailId", "position"),
    CONSTRAINT "EmailAttachment_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email" ("id") ON DELETE CASCADE ON UPDATE CASCADE
) WITHOUT ROWID;

CREATE TABLE "EmailContent" (
    "emailId" TEXT NOT NULL PRIMARY KEY,
    "html" TEXT,
    "text" TEXT,
    "attachments" TEXT,
    CONSTRAINT "EmailContent_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

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
