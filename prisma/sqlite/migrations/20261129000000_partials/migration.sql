ALTER TABLE "Template" ADD COLUMN "layoutId" TEXT;
CREATE INDEX "Template_tenantId_layoutId_id_idx" ON "Template"("tenantId", "layoutId", "id");
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
CREATE TABLE "PartialUse" (
    "tenantId" TEXT NOT NULL,
    "partialId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,

    PRIMARY KEY ("tenantId", "partialId", "userId")
);
CREATE TABLE "PartsRevision" (
    "tenantId" TEXT NOT NULL PRIMARY KEY,
    "revision" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "TemplatePartial_tenantId_nameHash_key" ON "TemplatePartial"("tenantId", "nameHash");
CREATE INDEX "TemplatePartial_tenantId_id_idx" ON "TemplatePartial"("tenantId", "id");
CREATE INDEX "PartialUse_tenantId_userId_idx" ON "PartialUse"("tenantId", "userId");
