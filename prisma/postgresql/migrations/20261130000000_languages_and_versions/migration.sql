ALTER TABLE "Template" ADD COLUMN "locale" TEXT;
ALTER TABLE "Template" ADD COLUMN "sampleParams" TEXT;
ALTER TABLE "Template" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1;
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
CREATE UNIQUE INDEX "TemplateTranslation_tenantId_templateId_locale_key" ON "TemplateTranslation"("tenantId", "templateId", "locale");
CREATE INDEX "TemplateTranslation_tenantId_id_idx" ON "TemplateTranslation"("tenantId", "id");
CREATE UNIQUE INDEX "TemplateVersion_tenantId_templateId_version_key" ON "TemplateVersion"("tenantId", "templateId", "version");
CREATE INDEX "TemplateVersion_tenantId_id_idx" ON "TemplateVersion"("tenantId", "id");
