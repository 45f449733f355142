CREATE TABLE "FolderDeletion" (
    "tenantId" TEXT NOT NULL,
    "folderHash" TEXT NOT NULL,
    "folder" TEXT NOT NULL,
    "askedAt" DATETIME NOT NULL,

    PRIMARY KEY ("tenantId", "folderHash")
);
CREATE INDEX "FolderDeletion_askedAt_idx" ON "FolderDeletion"("askedAt");
