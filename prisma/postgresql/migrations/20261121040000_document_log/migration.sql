-- CreateTable
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

    CONSTRAINT "Log_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
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

    CONSTRAINT "LogEdit_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
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

    CONSTRAINT "LogBlock_pkey" PRIMARY KEY ("tenantId","number")
);

-- CreateIndex
CREATE UNIQUE INDEX "Log_id_key" ON "Log"("id");

-- CreateIndex
CREATE UNIQUE INDEX "Log_tenantId_idempotencyKey_key" ON "Log"("tenantId", "idempotencyKey");

-- CreateIndex
CREATE UNIQUE INDEX "LogEdit_id_key" ON "LogEdit"("id");

-- CreateIndex
CREATE INDEX "LogEdit_logId_seq_idx" ON "LogEdit"("logId", "seq");

-- CreateIndex
CREATE INDEX "LogEdit_tenantId_seq_idx" ON "LogEdit"("tenantId", "seq");

-- CreateIndex
CREATE INDEX "LogBlock_tenantId_sealedAt_idx" ON "LogBlock"("tenantId", "sealedAt");

-- CreateIndex
CREATE INDEX "LogBlock_tenantId_toSeq_idx" ON "LogBlock"("tenantId", "toSeq");

-- CreateIndex
CREATE INDEX "LogBlock_toSeq_toEditSeq_idx" ON "LogBlock"("toSeq", "toEditSeq");

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
