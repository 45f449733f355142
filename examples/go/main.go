// go run . uses all five services, with the server and the key that PLATFORM_URL and PLATFORM_KEY name.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	platform "github.com/platform-services/platform-services/clients/go"
	"github.com/platform-services/platform-services/clients/go/email"
	"github.com/platform-services/platform-services/clients/go/files"
	records "github.com/platform-services/platform-services/clients/go/log"
	"github.com/platform-services/platform-services/clients/go/push"
	"github.com/platform-services/platform-services/clients/go/rendering"
)

func main() {
	log.SetFlags(0)
	client, err := platform.New(os.Getenv("PLATFORM_URL"), os.Getenv("PLATFORM_KEY"))
	must(err)
	ctx := context.Background()
	file := store(ctx, client)
	mail(ctx, client, file, render(ctx, client))
	receive(ctx, client)
	record(ctx, client, file)
	refuse(ctx, client)
}

func store(ctx context.Context, client *platform.Client) string {
	wish := files.CreateFileInput{Name: platform.Ptr("report.csv"), ContentType: platform.Ptr("text/csv")}
	file, err := client.Files.Upload(ctx, strings.NewReader("number,total\n2026-17,1291.50\n"), platform.UploadOptions{File: wish})
	must(err)
	download, err := client.Files.Download(ctx, file.ID)
	must(err)
	defer download.Close()
	content, err := io.ReadAll(download)
	must(err)
	fmt.Println("downloaded", len(content), "bytes")
	return file.ID
}

func render(ctx context.Context, client *platform.Client) string {
	template := rendering.PreviewTemplateInput{
		Type: rendering.TemplateTypeDocument, ContentType: rendering.ContentTypeHTML, Body: "<p>Hi {{ name }}</p>",
	}
	params := map[string]string{"name": "Ann <Smith>"}
	rendered, err := client.Rendering.Preview(ctx, rendering.PreviewInput{Template: template, Params: params})
	must(err)
	fmt.Println("rendered", *rendered.Body)
	return *rendered.Body
}

func mail(ctx context.Context, client *platform.Client, file, html string) {
	_, err := client.Email.SendMessage(ctx, email.SendMessageInput{
		To:          []email.EmailAddressInput{{Address: "ann@example.com", Name: platform.Ptr("Ann")}},
		Subject:     platform.Ptr("Your report"),
		HTMLBody:    &html,
		Attachments: []email.AttachmentInput{{FileID: file, Name: "report.csv"}},
	})
	must(err)
	fmt.Println("mailed to ann@example.com")
}

func receive(ctx context.Context, client *platform.Client) {
	connection := client.Push.Connect(ctx, push.RegisterRecipientInput{Recipient: "ann"})
	defer connection.Close()
	// The connection opens meanwhile: a message with an expiry is queued until then.
	expiresAt := time.Now().Add(time.Minute)
	wish := push.MessageInput{Recipients: []string{"ann"}, Message: "Your report is ready", ExpiresAt: &expiresAt}
	_, err := client.Push.PushMessage(ctx, wish)
	must(err)
	message, err := connection.Next(ctx)
	must(err)
	fmt.Println("received", message.Message)
}

func record(ctx context.Context, client *platform.Client, file string) {
	_, err := client.Log.CreateLog(ctx, records.CreateLogInput{
		DocumentType:      "report",
		DocumentID:        file,
		DateTime:          time.Now(),
		Author:            &records.AuthorInput{Name: platform.Ptr("Ann")},
		Attribute:         &records.AttributeInput{ID: platform.Ptr("status")},
		AttributeNewValue: &records.ValueInput{Raw: platform.Ptr("sent")},
	})
	must(err)
	state, err := client.Log.DocumentState(ctx, records.DocumentStateArgs{DocumentType: "report", DocumentID: file})
	must(err)
	fmt.Println("logged", *state[0].AttributeID, *state[0].Value.Raw)
}

func refuse(ctx context.Context, client *platform.Client) {
	_, err := client.Rendering.Render(ctx, rendering.RenderingInput{TemplateName: "none", Params: map[string]string{}})
	var refusal *platform.Error
	if !errors.As(err, &refusal) {
		log.Fatal("a missing template was rendered")
	}
	fmt.Println("refused", refusal.Code)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
