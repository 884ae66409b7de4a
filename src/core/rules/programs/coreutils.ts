/** Looking at files and moving them about. */
export const COREUTILS = String.raw`
$H --help --version
$COLUMNS /^(?:(?:%cpu|%mem|args|bsdstart|bsdtime|c|cgroup|class|cls|cmd|comm|command|context|cputime|cputimes|egid|egroup|etime|etimes|euid|euser|exe|f|flags|fname|gid|group|label|lastcpu|lstart|lwp|majflt|maj_flt|minflt|min_flt|ni|nice|nlwp|pcpu|pgid|pgrp|pid|pmem|policy|ppid|pri|priority|psr|pss|rgid|rgroup|rss|rssize|rsz|rtprio|ruid|ruser|s|sched|sess|session|sgid|sgroup|sid|size|slice|spid|start|start_time|stat|state|stime|suid|suser|sz|tgid|thcount|tid|time|tname|tpgid|tt|tty|ucmd|ucomm|uid|uname|unit|user|vsize|vsz|wchan)(?::\d+)?(?:=[^,]*|[,\x20]|$))+$/
$SUMS r* -bctwz --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn $H
cat:: r* -AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting $H
tac:: r* -br --before --regex -s= --separator= $H
nl:: r* -p --no-renumber -bdfhilnsvw= --body-numbering= --section-delimiter= --footer-numbering= --header-numbering= --line-increment= --join-blank-lines= --number-format= --number-separator= --starting-line-number= --number-width= $H
rev:: r* -0 --zero $H
head:: r* -# -qvz --quiet --silent --verbose --zero-terminated -cn= --bytes= --lines= $H
tail:: r* -# -fFqvzr --follow=? --retry --quiet --silent --verbose --zero-terminated -cns= --bytes= --lines= --pid= --sleep-interval= --max-unchanged-stats= $H
ls,dir,vdir:: r*. -# -aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1 -ITw= --all --almost-all --author --escape --ignore-backups --directory --dired --classify=? --file-type --full-time --group-directories-first --no-group --human-readable --si --dereference-command-line --dereference-command-line-symlink-to-dir --inode --kibibytes --dereference --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --reverse --recursive --size --context --zero --block-size= --color=? --format= --hide= --hyperlink=? --indicator-style= --ignore= --quoting-style= --sort= --time= --time-style= --tabsize= --width= $H
exa,eza,lsd: r*. -aFGhlRrsSTt1x -LIst= --tree --git --icons=? --color=? --level= --ignore-glob=
pwd:: -LP --logical --physical $H
wc:: r* -clmwL --bytes --chars --lines --words --max-line-length --files0-from=q --total= $H
cut:: r* -nsz -bcdf= --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated $H
tr:: t t -cCdst --complement --delete --squeeze-repeats --truncate-set1 $H
sort:: r* -bdfgiMhnRrVcCmsuz --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --version-sort --check=? --merge --stable --unique --zero-terminated --debug -kSt= --key= --buffer-size= --field-separator= --batch-size= --parallel= --sort= --random-source=r --files0-from=! -o=W --output=W -T=! --temporary-directory=! --compress-program=x $H
uniq:: r W -cdDuiz -# --count --repeated --all-repeated=? --group=? --ignore-case --unique --zero-terminated -fsw= --skip-fields= --skip-chars= --check-chars= $H
comm:: r r -123z --check-order --nocheck-order --output-delimiter= --total --zero-terminated $H
join:: r r -iz -12aejotv= --ignore-case --check-order --nocheck-order --header --zero-terminated $H
paste:: r* -sz -d= --serial --zero-terminated --delimiters= $H
fold:: r* -bs -w= -# --bytes --spaces --width= $H
fmt:: r* -cstu -gpw= -# --crown-margin --split-only --tagged-paragraph --uniform-spacing --prefix= --width= --goal= $H
expand,unexpand:: r* -ai -t= -# --all --first-only --initial --tabs= $H
column:: r* -teJLnrRx -cdEHiNoOpsTW= --table --json --fillrows --separator= --output-separator= --columns= --table-columns= --table-right= --table-noheadings --output-width= $H
pr:: r* -acdDFfJmnrtTv -hloswNSW= -# $H
shuf: r* -er -in= --echo --input-range= --head-count= --repeat --random-source=r -o=W --output=W
split: r w -adelnbCt= -uxd --bytes= --lines= --number= --suffix-length= --additional-suffix= --numeric-suffixes=? --hex-suffixes=? --verbose --filter=x
csplit: r t*! -kqsz -bn= -f=W --prefix=W --suffix-format= --digits=
md5sum,sha1sum,sha224sum,sha256sum,sha384sum,sha512sum,b2sum,cksum,sum,shasum:: $SUMS -alr= --algorithm= --length=
base64,base32,basenc:: r -di -w= --decode --ignore-garbage --wrap= --base64 --base64url --base32 --base16 $H
od:: r* -abcdfiloxsv -AjNSw=? -t= --address-radix= --skip-bytes= --read-bytes= --format= --output-duplicates --traditional --endian= --width=? $H
hexdump,hd:: r* -bcCdovx -ens= -f=r $H
xxd: r W -abCeEipPu -cglonsR= -r! -revert! -dv
strings:: r* -afwW -neotTs= --all --data --bytes= --radix= --encoding= --print-file-name --target= --output-separator= $H
stat:: r* -LftZ -c= --dereference --file-system --terse --format= --printf= --cached= $H
file:: r* -bcdEhikKlLNnrsSv0 -FeP= -f=q -mM=! -CpzZ! --brief --mime --mime-type --mime-encoding --keep-going --dereference --no-dereference --no-buffer --no-pad --raw --special-files --separator= --exclude= --exclude-quiet= --extension --apple --print0 --parameter= --checking-printout --list --files-from=q --magic-file=! --compile! --uncompress! --uncompress-noreport! --no-sandbox! --preserve-date! $H
du:: r*. -0abcDhHklLmPsSx -Bdt= -X=r --null --all --apparent-size --bytes --total --dereference-args --human-readable --si --inodes --count-links --dereference --no-dereference --separate-dirs --summarize --one-file-system --block-size= --max-depth= --threshold= --time=? --time-style= --exclude= --exclude-from=r --files0-from=q $H
df:: r* -ahHiklPTv -Btx= --all --human-readable --si --inodes --local --portability --print-type --no-sync --total --block-size= --type= --exclude-type= --output=? $H
tree:: r*@ -adfFilnNpqQrsStuUvxACDghJX1c -LPITH= -R! -o=W --noreport --nolinks --dirsfirst --filesfirst --prune --matchdirs --ignore-case --gitignore --inodes --device --charset= --filelimit= --timefmt= --sort=? --si --du --metafirst --compress= --fromfile --fromtabfile --info --gitfile=r --infofile=r --output=W $H
basename:: t* -az -s= --multiple --suffix= --zero $H
dirname:: t* -z --zero $H
realpath:: r* -emLPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --relative-to= --relative-base= --strip --no-symlinks --zero $H
readlink:: r* -efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero $H
date:: /^\+/ -Ru -d= --date= --debug -I=? --iso-8601=? -f=q --file=q -r=r --reference=r --resolution --rfc-email --rfc-3339= --rfc-2822 --utc --universal -s=! --set=! $H
cal,ncal:: t* -13jmywhNC -ABdn=
uname:: -asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system $H
id:: t* -agGnruzZ --group --groups --name --real --user --zero --context $H
arch:: [1s] p -x86_64 -x86_64h -arm64 -arm64e -i386 -32 -64 -c -arch= -d= -e=a $H
whoami,tty,nproc,logname,users:: --all --ignore= --silent --quiet $H
groups:: t* $H
hostname:: !* -aAdfiIsy --fqdn --long --short --ip-address --all-ip-addresses --domain --alias -F=! --file=! -b!
uptime:: -ps --pretty --since
free:: -bkmghltvw -cs= --bytes --kibi --mebi --gibi --human --total --wide
ps:: [b] /^[\d,]*$|^[^e]*$/* +e! -# -aAcdefFgGHjlLmMNnrsSTuUvVwxXyZ -CpqtkP= -oO=$COLUMNS --forest --headers --no-headers --sort= --format=$COLUMNS --pid= --ppid= --user= --deselect --cols= $H
lsof: t* -abClnNOPRtUVXw -i=? -cdFprsSTu=
seq:: t* -w -fs= --equal-width --format= --separator= $H
sleep:: t*
expr: [z] t*
numfmt:: t* -z --from= --to= --field= --format= --padding= --suffix= --grouping --header=?
cp: c* w -abdfHilLnPsuvxZT -rR@ -a@ -S= -t=w$ --archive@ --recursive@ --backup=? --force --interactive --no-clobber --no-dereference --dereference --preserve=? --no-preserve= --parents --reflink=? --sparse= --symbolic-link --link --suffix= --target-directory=w$ --no-target-directory --update=? --verbose --one-file-system
install: c* w -bcCDdpsvT -gmoS= -t=w$ --target-directory=w$ --mode= --owner= --group= --strip-program=x --directory
mv: m* w -bfinuvTZ -S= -t=w$ --backup=? --force --interactive --no-clobber --suffix= --target-directory=w$ --no-target-directory --update=? --verbose
ln: k* w -bdfFiLnPrsvT -S= -t=w$ --backup=? --symbolic --force --relative --no-dereference --suffix= --target-directory=w$ --no-target-directory --verbose
tee: W* -ai -p --append --ignore-interrupts --output-error=?
sponge: W* -a
touch: w* -acfhm -dt= -r=r --no-create --date= --reference=r --time=
mkdir: w* -pvZ -m= --parents --verbose --mode=
rmdir: w* -pv --parents --verbose --ignore-fail-on-non-empty
rm: w* -dfiIrRv --force --recursive --dir --verbose --interactive=? --one-file-system --preserve-root=? --no-preserve-root
unlink,mkfifo,mknod: w*
shred: w* -fuvxz -ns= --random-source=r
truncate: W* -co -s= -r=r --size= --reference=r --no-create
chmod: /^(?!.*[+=][rwxXugo]*s|\+t|0?[2-7][0-7]{3}$).*$/ w* -cfv -R! --recursive! --reference=r^ --changes --quiet --verbose
chown,chgrp: t w* -cfhvHLP -R! --recursive! --reference=r^ --from=
chattr: t w* -RVf
setfacl: w* -bkdR -mx= -MX=r
dd: /^(?!of=|if=)/*! 
patch: W* -bcefElnNRstuvZ! -p= -i=r! -o=W -d=d! -BDFgrVxYz=!
cpio: !* -oiptuvdm! -FOEIR=!
mount,umount: !*
dmesg: t* -dehHiJklLprStTuwxW -cCDE! -n=! -fFls= --follow --human --json --level= --facility= --since= --until= --color=? --time-format= --clear! --read-clear! --console-off! --console-on! --console-level=!
iconv: r* -cls -ft= --from-code= --to-code= -o=W --output=W
mktemp: w -dqut -p=w --directory --tmpdir=w? --suffix=
sync: r*
`;
