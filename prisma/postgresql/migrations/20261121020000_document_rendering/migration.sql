-- CreateEnum
CREATE TYPE "StoredTemplateType" AS ENUM ('email', 'document');

-- CreateEnum
CREATE TYPE "StoredContentType" AS ENUM ('plain', 'html');

-- CreateTable
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

-- CreateTable
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

-- CreateIndex
CREATE INDEX "Css_tenantId_nameHash_id_idx" ON "Css"("tenantId", "nameHash", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Css_tenantId_id_key" ON "Css"("tenantId", "id");

-- CreateIndex
CREATE INDEX "Template_tenantId_active_id_idx" ON "Template"("tenantId", "active", "id");

-- CreateIndex
CREATE INDEX "Template_tenantId_parentCssId_id_idx" ON "Template"("tenantId", "parentCssId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Template_tenantId_nameHash_key" ON "Template"("tenantId", "nameHash");

-- CreateIndex
CREATE UNIQUE INDEX "Template_tenantId_id_key" ON "Template"("tenantId", "id");

-- AddForeignKey
ALTER TABLE "Template" ADD CONSTRAINT "Template_tenantId_parentCssId_fkey" FOREIGN KEY ("tenantId", "parentCssId") REFERENCES "Css"("tenantId", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;
