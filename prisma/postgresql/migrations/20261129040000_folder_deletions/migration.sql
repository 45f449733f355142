CREATE TABLE "FolderDeletion" (
    "tenantId" TEXT NOT NULL,
    "folderHash" TEXT NOT NULL,
    "folder" TEXT NOT NULL,
    "askedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "FolderDeletion_pkey" PRIMARY KEY ("tenantId", "folderHash")
);
CREATE INDEX "FolderDeletion_askedAt_idx" ON "FolderDeletion"("askedAt");
