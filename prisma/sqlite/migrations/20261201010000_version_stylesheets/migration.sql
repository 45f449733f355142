-- Versions were stored without the text of their own stylesheet. It is known where the stylesheet has not changed since the save.
UPDATE "TemplateVersion" SET
  "parts" = '{"parentText":' || json_quote(c."text") || substr("TemplateVersion"."parts", 19),
  "size" = "size" + length(c."text")
FROM "Css" c
WHERE c."tenantId" = "TemplateVersion"."tenantId" AND c."id" = "TemplateVersion"."parentCssId" AND c."text" IS NOT NULL
  AND (c."revision" = 1 OR c."updatedAt" < "TemplateVersion"."createdAt")
  AND substr("TemplateVersion"."parts", 1, 18) = '{"parentText":null';
