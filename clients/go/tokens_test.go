package platform

import (
	"errors"
	"testing"

	"github.com/platform-services/platform-services/clients/go/files"
)

func TestATokenHasAPartOfTheRightsOfItsKeyUntilItIsDenied(t *testing.T) {
	scope := []string{"file-management-api:query:files", "file-management-api:mutation:createFile"}
	created := Must(client.Tokens.Create(ctx, files.AccessTokenInput{Scope: scope, ExpiresIn: 600, FilePrefix: Ptr("users/go/")}))
	page := Must(New(proxy.url(), Value(created.Token)))
	defer page.Close()
	file := Must(page.Files.CreateFile(ctx, files.CreateFileInput{Name: Ptr("users/go/a.txt")}, Select("id name")))
	same(t, "name", Value(file.Name), "users/go/a.txt")
	_, err := page.Files.CreateFile(ctx, files.CreateFileInput{Name: Ptr("users/b.txt")}, Select("id"))
	same(t, "other prefix", errors.Is(err, Forbidden), true)
	_, err = page.Tokens.Create(ctx, files.AccessTokenInput{Scope: scope, ExpiresIn: 600})
	same(t, "token of a token", errors.Is(err, Forbidden), true)
	denied := Must(client.Tokens.Deny(ctx, files.DenyAccessInput{Recipient: Ptr("go")}))
	same(t, "recipient", Value(denied.Recipient), "go")
}
