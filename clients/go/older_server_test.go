package platform

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"platform-services/client/files"
	"platform-services/client/push"
)

var olderAddress = os.Getenv("PLATFORM_OLDER_SERVER")

// countAsked says how many operations came to the older server since the last time.
func countAsked(t *testing.T) int {
	t.Helper()
	answer := done[*http.Response](t)(http.Get(olderAddress + "/asked"))
	defer answer.Body.Close()
	var asked []string
	if err := json.NewDecoder(answer.Body).Decode(&asked); err != nil {
		t.Fatal(err)
	}
	return len(asked)
}

func TestAClientAsksForWhatAnOlderServerHasAndLooksThatUpOnce(t *testing.T) {
	older := Must(New(olderAddress, key))
	countAsked(t)
	wish := files.CreateFileInput{Name: Ptr("older-go.txt"), Author: &files.AuthorInput{ID: Ptr("1"), Name: Ptr("Ann")}}
	file := done[*files.File](t)(older.Files.CreateFile(ctx, wish))
	same(t, "file", *file.Name+string(*file.Status)+*file.Author.ID, "older-go.txtuploading1")
	same(t, "a field of later", file.Author.Name, nil)
	same(t, "operations", countAsked(t), 3)
	args := files.FilesArgs{Filter: &files.FilesFilter{NamePrefix: Ptr("older-go.txt")}}
	found := all[files.File](t, older.Files.AllFiles(ctx, args), func(one files.File) string { return *one.Name })
	same(t, "files", strings.Join(found, " "), "older-go.txt")
	same(t, "operations", countAsked(t), 1)
}

func TestAKeyOfTheClientThatAnOlderServerDoesNotTakeIsLeftOutButNoneOfTheCaller(t *testing.T) {
	older := Must(New(olderAddress, key))
	hello := push.MessageInput{Recipients: []string{"older-go"}, Message: "hello"}
	same(t, "results", len(done[*push.PushMessageResult](t)(older.Push.PushMessage(ctx, hello)).Results), 1)
	countAsked(t)
	done[*push.PushMessageResult](t)(older.Push.PushMessage(ctx, hello))
	same(t, "operations", countAsked(t), 1)
	hello.IdempotencyKey = Ptr("a key")
	same(t, "field", failed[*push.PushMessageResult](t, BadUserInput)(older.Push.PushMessage(ctx, hello)).Field, "input.idempotencyKey")
}

func TestWhatTheCallerAsksForOfAnOlderServerIsNamedWithItsVersion(t *testing.T) {
	of := Must(New(olderAddress, key)).Files
	done[*files.File](t)(of.File(ctx, unknownID)) // knows the server from here on
	version := done[string](t)(client.Files.Version(ctx))
	ofFiles := func(args files.FilesArgs, options ...Option) error {
		_, err := of.Files(ctx, args, options...)
		return err
	}
	_, accept := of.CreateFile(ctx, files.CreateFileInput{Name: Ptr("a"), Accept: []string{"image/*"}})
	_, folders := of.FileFolders(ctx, files.FileFoldersArgs{})
	walk := of.AllFiles(ctx, files.FilesArgs{}, Select("id author { called: name }"))
	walk.Next()
	cases := []struct {
		field, name string
		err         error
	}{
		{"input.accept", "createFile", accept},
		{"filter.folder", "files", ofFiles(files.FilesArgs{Filter: &files.FilesFilter{Folder: Ptr("a/")}}, Select("items { id }"))},
		{"limit", "files", ofFiles(files.FilesArgs{Limit: Ptr(3)})},
		{"items.expiresAt", "files", ofFiles(files.FilesArgs{}, Select("items { expiresAt downloadUrl(expiresIn: 5) }"))},
		{"items.author.name", "files", walk.Err()},
		{"fileFolders", "fileFolders", folders},
	}
	for _, one := range cases {
		var unsupported *UnsupportedError
		if !errors.As(one.err, &unsupported) {
			t.Fatal(one.field, one.err)
		}
		code := ValidationFailed
		if strings.HasPrefix(one.field, "input") || strings.HasPrefix(one.field, "filter") {
			code = BadUserInput
		}
		own := failed[int](t, code)(0, one.err)
		same(t, "field", own.Field, one.field)
		same(t, "may have happened", own.MayHaveHappened, false)
		same(t, "version", unsupported.ServerVersion, version)
		what := fmt.Sprintf("%s of %s: update the server, or leave it out", one.field, one.name)
		if one.field == one.name {
			what = one.field + ": update the server"
		}
		same(t, "message", unsupported.Error(), fmt.Sprintf("The server, version %s, has no %s", version, what))
	}
}

func TestOtherRefusalsOfAnOlderServerStayAsTheyAre(t *testing.T) {
	older := Must(New(olderAddress, key))
	_, err := older.Files.DeleteFile(ctx, unknownID)
	failed[*files.File](t, NotFound)(nil, err)
	_, err = older.Files.CreateFile(ctx, files.CreateFileInput{ExpiresIn: Ptr(0)})
	same(t, "field", failed[*files.File](t, BadUserInput)(nil, err).Field, "input.expiresIn")
}

func TestSelectionsAreReadAsFarAsTheyAreFieldsAndArguments(t *testing.T) {
	fields := done[[]askedField](t)(fieldsOf(`id, own: uploadUrl(expiresIn: 5, with: {a: [1], b: "}) {"}) author { id }`))
	same(t, "fields", fmt.Sprint(fields), "[{id [] []} {uploadUrl [expiresIn with] []} {author [] [{id [] []}]}]")
	for _, wrong := range []string{"... on File { id }", "id }", "a {", "a(", "a(b", "a @include(if: true)", "a:"} {
		if found, err := fieldsOf(wrong); err == nil {
			t.Fatal(wrong, found)
		}
	}
}
