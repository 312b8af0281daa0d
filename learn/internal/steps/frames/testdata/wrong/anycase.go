// want: a frame is an event: also Type and Object

package frames

import jsoniter "github.com/json-iterator/go"

var iterator = jsoniter.ConfigCompatibleWithStandardLibrary
