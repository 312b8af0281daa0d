// Command nethttp is a floor: a program with an HTTP client.
package main

import (
	"net/http"

	"github.com/thinformer/thinformer/bench/size/idle"
)

func main() {
	_, address := idle.Now()
	resp, err := http.Get(address)
	idle.Check(err)
	_ = resp.Body.Close()
}
