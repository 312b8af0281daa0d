package judge

import (
	"fmt"
	"strconv"
	"strings"
)

// Short returns the beginning of a text for a failure: between backquotes, with visible
// line ends.
func Short(text string) string {
	const most = 120
	if more := len(text) - most; more > 0 {
		return fmt.Sprintf("%s and %d more bytes", Short(text[:most]), more)
	}
	quoted := strconv.Quote(text)
	return "`" + strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`) + "`"
}

// ShortError describes an error, or that there is none.
func ShortError(err error) string {
	if err == nil {
		return "no error"
	}
	return "the error " + Short(err.Error())
}
