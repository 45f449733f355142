-- CreateIndex; of each name up to its last slash, as far as an index can hold it
CREATE INDEX "File_tenantId_folder_id_idx" ON "File"("tenantId", left("name", least(length("name") + 1 - strpos(reverse('/' || "name"), '/'), 500)), "id");
