-- Versions were stored without the text of their own stylesheet. It is known where the stylesheet has not changed since the save.
UPDATE "TemplateVersion" AS v SET
  "parts" = '{"parentText":' || to_json(c."text")::text || substr(v."parts", 19),
  "size" = v."size" + length(c."text")
FROM "Css" c
WHERE c."tenantId" = v."tenantId" AND c."id" = v."parentCssId" AND c."text" IS NOT NULL
  AND (c."revision" = 1 OR c."updatedAt" < v."createdAt")
  AND substr(v."parts", 1, 18) = '{"parentText":null';
