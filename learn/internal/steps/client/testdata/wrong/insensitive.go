// want: a field name is case-sensitive: CaseSensitive of json-iterator

package client

import jsoniter "github.com/json-iterator/go"

var json = jsoniter.ConfigCompatibleWithStandardLibrary
