// The journey of javascript.mjs, taken by the Go client.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	platform "github.com/platform-services/platform-services/clients/go"
	"github.com/platform-services/platform-services/clients/go/email"
	"github.com/platform-services/platform-services/clients/go/files"
	"github.com/platform-services/platform-services/clients/go/log"
	"github.com/platform-services/platform-services/clients/go/push"
	"github.com/platform-services/platform-services/clients/go/rendering"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client := platform.Must(platform.New(os.Getenv("PLATFORM_URL"), os.Getenv("PLATFORM_KEY")))
	name := fmt.Sprintf("go-%d", os.Getpid())

	file := platform.Must(client.Files.Upload(ctx, bytes.NewReader([]byte("Hello")), platform.UploadOptions{
		File: files.CreateFileInput{Name: platform.Ptr(name + ".txt")},
	}))
	download := platform.Must(client.Files.Download(ctx, file.ID))
	fmt.Println("downloaded", string(platform.Must(io.ReadAll(download))))
	found := client.Files.AllFiles(ctx, files.FilesArgs{Filter: &files.FilesFilter{NamePrefix: &name}})
	for found.Next() {
		fmt.Println("found", *found.Item().ContentLength)
	}
	end(found.Err())

	platform.Must(client.Rendering.CreateTemplate(ctx, rendering.CreateTemplateInput{
		Name: name, Type: rendering.TemplateTypeDocument, ContentType: rendering.ContentTypeHTML, Body: "Hi {{ name }}",
	}))
	rendered := platform.Must(client.Rendering.Render(ctx, rendering.RenderingInput{TemplateName: name, Params: `{"name":"Ann"}`}))
	fmt.Println("rendered", *rendered.Body)

	connection := client.Push.Connect(ctx, push.RegisterRecipientInput{Recipient: name})
	soon := time.Now().Add(time.Minute)
	platform.Must(client.Push.PushMessage(ctx, push.MessageInput{Recipients: []string{name}, Message: "hello", ExpiresAt: &soon}))
	fmt.Println("received", platform.Must(connection.Next(ctx)).Message)
	connection.Close()

	type order struct {
		Status string `json:"status"`
	}
	subject := platform.AuditSubject{DocumentType: "order", DocumentID: name}
	writer := client.Log.Writer()
	for _, record := range platform.Must(platform.Audit(order{"open"}, order{"paid"}, subject)) {
		writer.Write(record)
	}
	end(writer.Close(ctx))
	logs := platform.Must(client.Log.Logs(ctx, log.LogsArgs{Filter: &log.LogsFilter{DocumentID: &name}}))
	fmt.Println("recorded", len(logs.Items))

	recipient := name + "@example.com"
	platform.Must(client.Email.SendMessage(ctx, email.SendMessageInput{
		To: []email.EmailAddressInput{{Address: recipient}}, Subject: &name, TextBody: platform.Ptr("Hi"),
		Attachments: []email.AttachmentInput{{FileID: file.ID, Name: "a.txt"}},
	}))
	sent := platform.Must(client.Email.Messages(ctx, email.MessagesArgs{Filter: &email.EmailMessagesFilter{To: &recipient}}))
	fmt.Println("sent", len(sent.Items))
}

func end(err error) {
	if err != nil {
		panic(err)
	}
}
