-- CreateIndex; of each name up to its last slash, as far as PostgreSQL can index it. The last part of a name is the last element
-- of a JSON list: no other expression of SQLite finds it in a time that grows with the name, and not with its square.
CREATE INDEX "File_tenantId_folder_id_idx" ON "File"("tenantId", substr("name", 1, min(length("name") - length(json_extract('[' || replace(json_quote(CAST("name" AS TEXT)), '/', '","') || ']', '$[#-1]')), 500)), "id");
