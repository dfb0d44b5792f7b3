// Prints every swap, without the SDK: it reconnects by itself and resumes from a cursor that it keeps in a file.
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/gorilla/websocket" // go get github.com/gorilla/websocket
)

func main() {
	url, headers := os.Getenv("PAIRWIRE_URL"), http.Header{"X-Api-Key": {os.Getenv("PAIRWIRE_KEY")}}
	for params := map[string]string{}; ; time.Sleep(time.Second) {
		if cursor, err := os.ReadFile("cursor"); err == nil {
			params["resume_from"] = string(cursor)
		}
		stream, _, err := websocket.DefaultDialer.Dial(url, headers)
		if err == nil {
			err = stream.WriteJSON(map[string]any{"id": 1, "method": "swapSubscribe", "params": params})
		}
		for err == nil {
			var message struct {
				Method, Cursor string
				Error          *struct{ Message string }
				Params         struct{ Swap map[string]any }
			}
			if err = stream.ReadJSON(&message); message.Error != nil {
				log.Fatal(message.Error.Message) // no retry helps
			} else if swap := message.Params.Swap; message.Method == "swapNotification" {
				fmt.Println(swap["swapType"], swap["usdValue"], swap["baseTokenMint"])
				os.WriteFile("cursor.new", []byte(message.Cursor), 0o600)
				os.Rename("cursor.new", "cursor") // a crash leaves the old one or the new one
			}
		}
		log.Println(err)
	}
}
