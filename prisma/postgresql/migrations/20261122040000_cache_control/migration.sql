-- AlterTable
ALTER TABLE "File" ADD COLUMN "cacheControl" TEXT;
