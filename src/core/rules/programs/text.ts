/** Searching files and working on their text. */
export const TEXT = `
$GREP -abcEFGhHiIlLnoPqsTuUvVwxyzZ -r@ -R@& -# -ABCmD= -d@= -e=t^ -f=r^ --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color=? --colour=? --files-without-match --files-with-matches --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --label= --line-number --initial-tab --null --null-data --after-context= --before-context= --context= --text --binary-files= --devices= --directories@= --exclude= --exclude-from=r --exclude-dir= --include= --recursive@ --dereference-recursive@& --line-buffered --binary --unix-byte-offsets --regexp=t^ --file=r^ --help --version
grep,egrep,fgrep:: t r* $GREP
zgrep,zegrep,zfgrep,bzgrep,xzgrep: t r* $GREP
rg:: t r*@ -# -abchFiIlnNopPqsSuUvVwxH0 -L& -ABCEMdgjmrtT= -e=t^ -f=r^ --regexp=t^ --file=r^ --files^ --after-context= --before-context= --context= --color= --colors= --column --no-column --context-separator= --no-context-separator --count --count-matches --crlf --debug --trace --max-depth= --maxdepth= --dfa-size-limit= --encoding= --engine= --field-context-separator= --field-match-separator= --files-with-matches --files-without-match --fixed-strings --no-fixed-strings --follow& --glob= --glob-case-insensitive --heading --no-heading --hidden --no-hidden --iglob= --ignore-case --ignore-file=r --ignore-file-case-insensitive --include-zero --invert-match --json --line-buffered --line-number --no-line-number --line-regexp --max-columns= --max-columns-preview --max-count= --max-filesize= --mmap --no-mmap --multiline --multiline-dotall --no-config --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-messages --no-require-git --no-unicode --null --null-data --one-file-system --only-matching --passthru --path-separator= --pcre2 --no-pcre2 --pcre2-version --pretty --quiet --regex-size-limit= --replace= --smart-case --case-sensitive --sort= --sortr= --stats --stop-on-nonmatch --text --threads= --trim --type= --type-add= --type-clear= --type-list^ --type-not= --unrestricted --vimgrep --with-filename --no-filename --word-regexp --hyperlink-format= --binary --auto-hybrid-regex --block-buffered --generate= --sort-files --pre=x --pre-glob= --hostname-bin=x -z! --search-zip! --help --version
ag: t r*@ -acfFilLnoQqsStuUvwWzH0 -ABCGgmp= --pager=x --ignore= --hidden --nogroup --nocolor --color --depth=
ack: t r*@ -acfhHilLnoQqrRsvwx -ABCgm= --pager=x --output=! --type= --ignore-dir= --nogroup --nocolor
find:: [1n] r*@ -H -L& -P -D= -O= -a -o -and -or -not -true -false -daystart -depth -d -follow& -ignore_readdir_race -noignore_readdir_race -maxdepth= -mindepth= -mount -xdev -noleaf -regextype= -warn -nowarn -amin= -anewer=r -atime= -cmin= -cnewer=r -ctime= -empty -executable -fstype= -gid= -group= -ilname= -iname= -inum= -ipath= -iregex= -iwholename= -links= -lname= -mmin= -mtime= -name= -newer=r -newermt= -newerct= -newerat= -newermm=r -newercc=r -neweraa=r -newerBt= -nogroup -nouser -path= -perm= -print -print0 -printf= -prune -quit -readable -regex= -samefile=r -size= -type= -uid= -used= -user= -wholename= -writable -xtype= -context= -ls -delete! -exec=e -execdir=e -ok=e! -okdir=e! -fprint=W -fprint0=W -fprintf=Wt -fls=W -files0-from=q --help --version
fd,fdfind: [+] t r*@ -aAdFgHiILlpqsu0 -cdeEjStT= -x=p -X=p --exec=p --exec-batch=p --hidden --no-ignore --type= --extension= --exclude= --max-depth= --color= --glob --full-path --absolute-path --list-details
sed,gsed:: {sed} s r* -nErsuz -l= -e=s^ -f=L^ -i~=? --quiet --silent --debug --regexp-extended --separate --unbuffered --null-data --posix --sandbox --follow-symlinks --line-length= --expression=s^ --file=L^ --in-place~=? --help --version
awk,gawk,mawk,nawk,original-awk:: {awk} s r* -bcCgMnNOPrSstV -Fv= -e=s^ --source=s^ -f=L^ --file=L^ -iEl=L -o!=? -d!=? -p!=? -D!=? -h -W=! --include=L --exec=L^ --load=L --dump-variables!=? --profile!=? --pretty-print!=? --debug!=? --field-separator= --assign= --characters-as-bytes --traditional --posix --re-interval --sandbox --lint=? --csv --bignum --non-decimal-data --optimize --version --help
jq,gojq,jaq:: [d] {jq} s r* -acCejMnrRsSV --arg=tt --argjson=tt --slurpfile=tq --rawfile=tq --args --jsonargs --raw-input --raw-output --raw-output0 --join-output --ascii-output --compact-output --color-output --monochrome-output --exit-status --null-input --slurp --sort-keys --stream --stream-errors --seq --tab --indent= --unbuffered --binary -b -f=L^ --from-file=L^ -L=! --library-path=! --build-configuration --help --version
yq: s r* -cCejMnNPrsSv -i~ --inplace~ --in-place~ -oIp= --output-format= --input-format= --split-exp=! -f=L --from-file=L --prettyPrint --no-colors --raw-output
diff:: r r -qscuepynNTbBwaidEZt -# -r@& -CUWFI= -xDS= -X=r -L= --normal --brief --report-identical-files --context=? --unified=? --ed --rcs --side-by-side --width= --left-column --suppress-common-lines --show-c-function --show-function-line= --label= --expand-tabs --initial-tab --tabsize= --suppress-blank-empty --recursive@& --no-dereference --new-file --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case --exclude= --exclude-from=r --starting-file= --from-file=r --to-file=r --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --text --strip-trailing-cr --ifdef= --GTYPE-group-format= --line-format= --LTYPE-line-format= --old-line-format= --new-line-format= --unchanged-line-format= --minimal --horizon-lines= --speed-large-files --color=? --palette= -l! --paginate! --output=W --help --version
diff3,sdiff: r* -aAeEimTxX3BbdHilstwW= -o=W --output=W --diff-program=x --label= --text
colordiff: r* -uqryN
cmp:: r r t t -bls -in= --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent --help --version
less: {editor} r* -# -aABcCdeEfFgGiIJKLmMnNqQrRsSuUVwWX -bhjpxyzD= -oO=W -k=! -P= -t=! -T=r +=! --log-file=W --lesskey-file=! --lesskey-src=! --lesskey-content=! --tag=! --prompt=! --quit-if-one-screen --RAW-CONTROL-CHARS --no-init --chop-long-lines
more,most: {editor} r* -# -cdfplsu -n= +=!
zless,zcat,bzcat,xzcat,zstdcat: r* -fhLlnqv
look: t r -dft
man: {editor} t* -acdDfiIktuVwWZ7 -ELmSsrRe= -P=x --pager=x -H!=x? --html!=x? --browser=x -C=! -K! -l=r! -M=! -X=!? --config-file=! --local-file=! --manpath=! --gxditview=!? --preprocessor=!
bat,batcat: r* -AdfnpPu -HlmrT= --pager=x --config-file=! --style= --language= --paging= --line-range= --plain --theme= --color=
fzf: t* --preview=x --bind=y --history=W --listen=! --query= --filter= --multi --height= --reverse --prompt=
delta: r* --pager=x --side-by-side --color-only
xmllint: r* --format --noout --xpath= --output=W --schema=r
ctags: r* -f=W -o=W -R@ --options=L --output=W
pandoc: r* -ftVsN= -s -o=W -F=x -L=L --from= --to= --output=W --filter=x --lua-filter=L --pdf-engine=x --extract-media=W --template=L --data-dir=! --defaults=L --standalone --toc
tar,bsdtar,gtar: [b] r* -dtvWkmpqSOUEGiRslnwzZjJaBho -cruA@ -bgKLNVHX= -T=q -f=z -C=w -x@~ -P! -I=x -F=x --create@ --list --append@ --update@ --diff --compare --concatenate@ --delete! --extract@~ --get@~ --file=z --verbose=? --gzip --gunzip --bzip2 --xz --zstd --lzma --auto-compress --exclude= --exclude-from=r --exclude-vcs --strip-components= --files-from=q --directory=w --use-compress-program=x --to-command=x --checkpoint=? --checkpoint-action=x --info-script=x --new-volume-script=x --rsh-command=x --rmt-command=x --absolute-names! --transform=! --xform=! --index-file=W --overwrite! --unlink-first! --recursive-unlink! --remove-files! --to-stdout --wildcards --sort= --owner= --group= --mode= --mtime= --format= --listed-incremental=W --volno-file=W
zip: {words} w r* -0123456789qjDrejoyXvSl -r@ -bntxiOP= -T! -m! --unzip-command=x --test! --move! --recurse-paths@
unzip: r* -lvZtpcqn -d=w -P= -o! -fuj!
unrar,7z,7za,7zz,p7zip: !*
gzip,gunzip,bzip2,bunzip2,xz,unxz,zstd,unzstd,lz4,compress,uncompress: m* -cdfhklLnNqrtvV123456789 -S=! --stdout --decompress --keep --test --list --force --best --fast --suffix=! --threads= -T= -o=W
objdump,nm,readelf,size: r* -acCdDefghilnpPrRsStTuvVwWxX --demangle=? --syms --headers --disassemble
objcopy,strip: m*! -o=W
gpg,gpg2: r* -abceksvz -dhru= -o=W --output=W --exec-path=! --photo-viewer=x --options=L --homedir=! --keyserver=! --agent-program=! --verify --list-keys --decrypt --armor
openssl: / [1h] -out=W -engine=! -provider=! -config=L -provider-path=! -in=r
openssl s_client,s_server,engine: [!]
openssl *: [1] r*
m4: {m4} < !*
dc: {debugger} < !* -e=s! -f=L --expression=s! --file=L
bc: l* -hilqsw
`;
