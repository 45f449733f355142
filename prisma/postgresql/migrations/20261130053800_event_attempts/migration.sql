-- AlterTable
ALTER TABLE "Event" ADD COLUMN "attemptLog" TEXT;
